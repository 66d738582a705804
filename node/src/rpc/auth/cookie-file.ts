import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { open, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { diskError } from "../../storage/disk/disk-error.ts"
import { RpcServerError } from "../rpc-server-error.ts"

/** The user name in the cookie. */
const COOKIE_USER = "__cookie__"

export const cookiePath = (directory: string): string => join(directory, ".cookie")

const writeCookie = async (path: string, cookie: string): Promise<void> => {
  const unfinished = `${path}.tmp`
  await rm(unfinished, { force: true })
  const file = await open(unfinished, "wx", 0o600)
  try {
    await file.writeFile(cookie)
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}

/** Another process may have put its own there since. */
const removeCookie = async (path: string, cookie: string): Promise<void> => {
  const present = await readFile(path, "utf8").catch(() => undefined)
  if (present === cookie) await rm(path, { force: true })
}

/**
 * A fresh user and password for tools on this machine, in a file that only the node's own user can read; it goes when the
 * scope closes.
 */
export const cookieFile = (directory: string): Effect.Effect<string, RpcServerError, Scope.Scope> => {
  const path = cookiePath(directory)
  return Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const cookie = `${COOKIE_USER}:${randomBytes(32).toString("hex")}`
        await writeCookie(path, cookie)
        return cookie
      },
      catch: (cause) => new RpcServerError({ message: diskError("data-directory", "write", path, cause).message })
    }),
    (cookie) => Effect.ignore(Effect.tryPromise(() => removeCookie(path, cookie)))
  )
}
