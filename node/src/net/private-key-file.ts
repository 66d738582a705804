import { open, readFile } from "node:fs/promises"
import { fsPath } from "../bytes/byte-path.ts"

/** Returns the content of a file with a private key of this node, or `undefined` if it is missing. */
export const readPrivateKey = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(fsPath(path))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/**
 * Writes a private key to a new file that only its owner may read. Fails if the file exists, because keys are not
 * replaced.
 */
export const writePrivateKey = async (path: string, key: Uint8Array | string): Promise<void> => {
  const file = await open(fsPath(path), "wx", 0o600)
  try {
    await file.writeFile(key)
    await file.sync()
  } finally {
    // The file is synced, or an earlier error is thrown.
    await file.close().catch(() => {})
  }
}
