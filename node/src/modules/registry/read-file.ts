import * as Effect from "effect/Effect"
import { type FileHandle, open } from "node:fs/promises"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"

/** Decides on a file that cannot be opened: `undefined` treats it as missing, a text is an error. */
type OnClosed = (code: string | undefined) => string | undefined

/** Opens a file, passes it to `use` and closes it. Returns `undefined` if it cannot be opened and that is no error. */
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
