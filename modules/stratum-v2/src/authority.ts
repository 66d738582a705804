import { secp256k1 } from "@noble/curves/secp256k1.js"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FILE = "authority-secret"

/**
 * Returns the key of this server's authority, which is generated once and stored in the data directory. Throws if the
 * file is invalid.
 */
export const authoritySecret = (dataDirectory: string): Uint8Array => {
  const path = join(dataDirectory, FILE)
  let text: string
  try {
    text = readFileSync(path, "utf8").trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    text = Buffer.from(secp256k1.utils.randomSecretKey()).toString("hex")
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: "wx" })
  }
  const secret = new Uint8Array(Buffer.from(text, "hex"))
  if (text.length === 64 && secp256k1.utils.isValidSecretKey(secret)) return secret
  throw new Error(
    `${FILE} in the data directory of the module is no secret key: restore it, or remove it for a new one`
  )
}
