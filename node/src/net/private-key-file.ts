import { open, readFile } from "node:fs/promises"
import { fsPath } from "../bytes/byte-path.ts"

/** What a file with a private key of this node holds; none: there is no such file. */
export const readPrivateKey = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(fsPath(path))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/** Writes a private key to a new file that its owner alone may read. A file that is there is an error: keys are not replaced. */
export const writePrivateKey = async (path: string, key: Uint8Array | string): Promise<void> => {
  const file = await open(fsPath(path), "wx", 0o600)
  try {
    await file.writeFile(key)
    await file.sync()
  } finally {
    // It is synced, or the error that came before it counts.
    await file.close().catch(() => {})
  }
}
