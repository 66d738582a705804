import * as Effect from "effect/Effect"
import { type FileHandle, open } from "node:fs/promises"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"

/** What happens to a file that cannot be opened: it is as if it were not there, or an error in words. */
type OnClosed = (code: string | undefined) => string | undefined

/** Opens a file, works with it and closes it. Nothing where it cannot be opened and that is no error. */
export const readOpened = <A>(
  path: string,
  flags: number,
  onClosed: OnClosed,
  work: (file: FileHandle) => Promise<A>
): Effect.Effect<A | undefined, string> =>
  acquireUseRelease(
    Effect.catch(
      Effect.tryPromise({ try: () => open(path, flags), catch: (error) => (error as NodeJS.ErrnoException).code }),
      (code) => {
        const text = onClosed(code)
        return text === undefined ? Effect.succeed(undefined) : Effect.fail(text)
      }
    ),
    (file) =>
      file === undefined
        ? Effect.succeed(undefined)
        : Effect.tryPromise({ try: () => work(file), catch: (error) => (error as Error).message }),
    (file) => file === undefined ? Effect.void : Effect.promise(() => file.close())
  )
