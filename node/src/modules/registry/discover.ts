import {
  type FoundModule,
  type LoadPlan,
  loadPlan,
  type NodeVersions,
  type Pin,
  type SignaturePolicy
} from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { constants } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { MAX_MANIFEST_BYTES, type ParsedManifest, parseManifest } from "./parse-manifest.ts"
import { placesOf, type ProgramFile, programFile } from "./program-file.ts"
import { sourceMark } from "./source-mark.ts"
import { readOpened } from "./read-file.ts"
import { manifestSignatureFault } from "./signatures.ts"

/** The files of a module and their mark before they were read. A different mark later means that they have changed. */
export interface ModuleSource {
  readonly files: ReadonlyArray<string>
  readonly mark: string
}

/** A module that may be loaded. */
export interface VerifiedModule extends FoundModule {
  readonly program: ProgramFile
  /** The files that define the module. */
  readonly source: ModuleSource
}

/** A directory with a `module.toml` that is not loaded, with one line for each reason. */
export interface RefusedModule {
  readonly directory: string
  readonly reasons: ReadonlyArray<string>
}

/** Result of a scan of the directory of modules. */
export interface Discovery {
  /** Modules in the order in which they are to be loaded. */
  readonly modules: ReadonlyArray<VerifiedModule>
  readonly refused: ReadonlyArray<RefusedModule>
}

/** Rules by which modules are accepted. */
export interface DiscoveryRules {
  readonly versions: NodeVersions
  readonly pins: ReadonlyMap<string, Pin>
  readonly signatures: SignaturePolicy
}

/** Maximum number of directories scanned. */
const MAX_MODULES = 256

/** The file name of a manifest. */
export const MANIFEST = "module.toml"

const closedManifest = (code: string | undefined): string | undefined =>
  code === "ENOENT" || code === "ENOTDIR" ? undefined : `${MANIFEST} cannot be read: ${code}`

/** Reads the text of a manifest. Returns `undefined` if the file does not exist. */
const manifestText = (directory: string): Effect.Effect<string | undefined, string> =>
  readOpened(join(directory, MANIFEST), constants.O_RDONLY, closedManifest, async (file) => {
    const buffer = Buffer.alloc(MAX_MANIFEST_BYTES + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    if (bytesRead > MAX_MANIFEST_BYTES) throw new Error(`${MANIFEST} is longer than ${MAX_MANIFEST_BYTES} bytes`)
    return buffer.subarray(0, bytesRead).toString("utf8")
  })

/**
 * Lists the directories below the directory of modules by name, without hidden ones. Returns an empty list if it does
 * not exist.
 */
const directoriesIn = (root: string): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.tryPromise({
    try: () => readdir(root, { withFileTypes: true }),
    catch: (error) => (error as NodeJS.ErrnoException).code ?? String(error)
  }).pipe(
    Effect.catch((code) => code === "ENOENT" ? Effect.succeed([]) : Effect.fail(`cannot be read: ${code}`)),
    Effect.map((entries) =>
      entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
        .map((entry) => join(root, entry.name)).toSorted()
    )
  )

type Judged =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Refused"; readonly refused: RefusedModule }
  | { readonly _tag: "Verified"; readonly module: VerifiedModule }

const refusal = (directory: string, reasons: ReadonlyArray<string>): Judged => ({
  _tag: "Refused",
  refused: { directory, reasons }
})

const verified = (
  directory: string,
  parsed: ParsedManifest,
  texts: ModuleSource,
  rules: DiscoveryRules
): Effect.Effect<Judged> => {
  const fault = manifestSignatureFault(parsed, rules.signatures)
  if (fault !== undefined) return Effect.succeed(refusal(directory, [fault]))
  const programs = placesOf(directory, parsed.manifest)
  const source = { files: [...texts.files, ...programs], mark: `${texts.mark}\n${sourceMark(programs)}` }
  return Effect.match(programFile(directory, parsed.manifest), {
    onSuccess: (program): Judged => ({
      _tag: "Verified",
      module: { directory, manifest: parsed.manifest, program, source }
    }),
    onFailure: (reason) => refusal(directory, [reason])
  })
}

const judged = Effect.fnUntraced(function*(directory: string, rules: DiscoveryRules) {
  const files = [join(directory, MANIFEST), join(directory, "config.toml")]
  const texts = { files, mark: sourceMark(files) }
  const text = yield* Effect.result(manifestText(directory))
  if (Result.isFailure(text)) return refusal(directory, [text.failure])
  if (text.success === undefined) return { _tag: "Nothing" } as const
  const parsed = parseManifest(text.success)
  if (Result.isFailure(parsed)) return refusal(directory, parsed.failure)
  return yield* verified(directory, parsed.success, texts, rules)
})

const planned = (modules: ReadonlyArray<VerifiedModule>, { order, refused }: LoadPlan): Discovery => ({
  modules: order.map(({ directory }) => modules.find((module) => module.directory === directory)!),
  refused: [...refused].map(([directory, reason]) => ({ directory, reasons: [reason] }))
})

/**
 * Scans the directory of modules. Reads each `module.toml`, checks its fields, signatures and program, and sorts the
 * modules by their dependencies. An invalid module does not keep others from being loaded.
 */
export const discoverModules = Effect.fn("modules.discover")(function*(root: string, rules: DiscoveryRules) {
  const found = yield* Effect.result(directoriesIn(root))
  if (Result.isFailure(found)) {
    return { modules: [], refused: [{ directory: root, reasons: [found.failure] }] } satisfies Discovery
  }
  const directories = found.success
  const answers = yield* Effect.forEach(directories.slice(0, MAX_MODULES), (directory) => judged(directory, rules))
  const modules = answers.flatMap((answer) => answer._tag === "Verified" ? [answer.module] : [])
  const refused = answers.flatMap((answer) => answer._tag === "Refused" ? [answer.refused] : [])
  const beyond = directories.slice(MAX_MODULES).map((directory) => ({
    directory,
    reasons: [`is beyond the ${MAX_MODULES} directories that are looked at`]
  }))
  const plan = planned(modules, loadPlan(modules, rules.versions, rules.pins))
  return { modules: plan.modules, refused: [...refused, ...plan.refused, ...beyond] } satisfies Discovery
})
