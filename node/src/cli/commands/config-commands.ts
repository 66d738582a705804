import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { absolutePath } from "../../config/resolve/machine.ts"
import { commandFailed, incomplete } from "../command-failure.ts"
import { environment } from "../environment.ts"
import type { GlobalInput } from "../global-options.ts"
import { loadedConfig } from "../loaded-config.ts"
import { thisMachine } from "../machine.ts"
import { remark, say } from "../terminal.ts"

export const validate = Effect.fn("config validate")(function*(input: GlobalInput, path: string) {
  const { validateFile } = yield* Effect.promise(() => import("../../config/load-config.ts"))
  const remarks = yield* validateFile(path, { ...input, environment, machine: thisMachine() })
  yield* remark(...remarks)
  yield* say(`Configuration file is valid: ${path}`)
})

export const explain = Effect.fn("config explain")(function*(input: GlobalInput, asJson: boolean) {
  const loaded = yield* loadedConfig(input)
  const { explainJson, explainText } = yield* Effect.promise(() => import("../../config/show/explain.ts"))
  yield* remark(...loaded.config.warnings)
  yield* say(asJson ? explainJson(loaded) : explainText(loaded))
})

export const example = Effect.fn("config example")(function*() {
  const { exampleFile } = yield* Effect.promise(() => import("../../config/show/example.ts"))
  yield* say(exampleFile().trimEnd())
})

/** Writes a new file that only its owner can read, because a draft may contain a password. Never overwrites a file. */
const writeNew = (path: string, text: string) =>
  Effect.try({
    try: () => writeFileSync(absolutePath(path, thisMachine()), text, { flag: "wx", mode: 0o600 }),
    catch: (error) => {
      const code = (error as NodeJS.ErrnoException).code
      return commandFailed(
        code === "EEXIST" ? `${path}: exists already; choose another name` : `${path}: cannot be written (${code})`
      )
    }
  })

const ACCESS_MISSING =
  "these settings decide who reaches the node, who may do what or what it shows, and the draft is without them:"

export const convertCore = Effect.fn("config convert-core")(function*(path: string, output: string | undefined) {
  const { readText } = yield* Effect.promise(() => import("../../config/file/read-text.ts"))
  const { convertCoreConfig } = yield* Effect.promise(() => import("../../config/convert-core/convert-core-config.ts"))
  const { access, problems, report, toml } = convertCoreConfig(path, yield* readText(path))
  if (problems.length > 0) return yield* commandFailed(...problems)
  if (output === undefined) yield* say(toml.trimEnd())
  else yield* writeNew(output, toml)
  yield* remark(...report)
  if (output !== undefined) yield* say(`Draft written: ${output}`)
  if (access.length > 0) return yield* incomplete(ACCESS_MISSING, ...access)
})
