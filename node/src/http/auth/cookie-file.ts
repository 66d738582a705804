import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { readRegular } from "../../storage/disk/regular-file.ts"
import { diskError } from "../../storage/disk/disk-error.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { HttpServerError } from "../http-server-error.ts"

/** User name in the cookie. */
const COOKIE_USER = "__cookie__"

const OWNER_ALONE = 0o600

export const cookiePath = (directory: string): string => join(directory, ".cookie")

const writeCookie = async (place: string, cookie: string, mode: number): Promise<void> => {
  const [path, unfinished] = [fsPath(place), fsPath(`${place}.tmp`)]
  // The cookie of an earlier process is invalid, so it is removed.
  await rm(path, { force: true })
  await rm(unfinished, { force: true })
  try {
    const file = await open(unfinished, "wx", 0o600)
    try {
      if (mode !== OWNER_ALONE) await file.chmod(mode)
      await file.writeFile(cookie)
    } finally {
      // Only errors of the write matter: a cookie need not survive a power loss.
      await file.close().catch(() => {})
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Removes the cookie, unless another process has replaced it since. */
const removeCookie = async (place: string, cookie: string): Promise<void> => {
  const path = fsPath(place)
  let present: string | undefined
  try {
    present = readRegular(path)?.toString()
  } catch {
    // An unreadable file is not the cookie.
  }
  if (present === cookie) await rm(path, { force: true })
}

/** Interval between attempts while the disk is full. */
const TRY_AGAIN = Duration.seconds(1)

const about = Effect.annotateLogs({ category: "rpc" })

/** Writes the cookie once the disk has space. Tools on this machine wait for it; the node serves meanwhile. */
const whenThereIsRoom = (
  write: Effect.Effect<void, StorageError>,
  path: string
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.logWarning("The cookie for tools on this machine cannot be written: the disk is full").pipe(
    Effect.annotateLogs({ path }),
    Effect.andThen(Effect.forkScoped(write.pipe(
      Effect.retry({ schedule: Schedule.spaced(TRY_AGAIN), while: ({ reason }) => reason === "full" }),
      Effect.matchEffect({
        onSuccess: () => Effect.logInfo("The cookie for tools on this machine is written"),
        onFailure: ({ message }) =>
          Effect.logError("There is no cookie for tools on this machine").pipe(Effect.annotateLogs({ cause: message }))
      }),
      about
    ))),
    about,
    Effect.asVoid
  )

/**
 * Creates a new user and password for tools on this machine. Only the node's own user can read their file unless `mode`
 * says otherwise. The file is removed when the scope closes.
 */
export const cookieAt = Effect.fnUntraced(
  function*(path: string, mode = OWNER_ALONE): Effect.fn.Return<string, HttpServerError, Scope.Scope> {
    const cookie = `${COOKIE_USER}:${randomBytes(32).toString("hex")}`
    const write = Effect.tryPromise({
      try: () => writeCookie(path, cookie, mode),
      catch: (cause) => diskError("data-directory", "write", path, cause)
    }).pipe(Effect.uninterruptible)
    yield* addFinalizer(() => Effect.ignore(Effect.tryPromise(() => removeCookie(path, cookie))))
    yield* Effect.catch(write, (error) =>
      error.reason === "full"
        ? whenThereIsRoom(write, path)
        : Effect.fail(
          new HttpServerError({ message: `cannot write the cookie for tools on this machine: ${error.message}` })
        ))
    return cookie
  }
)

/** Creates the cookie in the data directory, as the `lockstep` program does. */
export const cookieFile = (directory: string): Effect.Effect<string, HttpServerError, Scope.Scope> =>
  cookieAt(cookiePath(directory))
