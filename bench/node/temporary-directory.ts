import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Runs `work` in a new directory, which is gone afterwards. */
export const inTemporaryDirectory = async <A>(work: (directory: string) => Promise<A>): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-bench-"))
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
