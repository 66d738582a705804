import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Puts a disk of its own in memory at `directory`; answers whether this process may. */
export const mountDisk = (directory: string, options: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

export const unmountDisk = (directory: string): void => {
  execFileSync("umount", [directory])
}

/** Whether this process may make a small disk of its own. */
export const mayMount = ((): boolean => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-mount-"))
  const isMounted = mountDisk(directory, "size=1m")
  if (isMounted) unmountDisk(directory)
  rmSync(directory, { recursive: true })
  return isMounted
})()

export const freeBytes = (directory: string): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
