import { type Manifest, manifestFaultText, readManifest } from "@lockstep/protocol/module-manifest/index.ts"
import * as Result from "effect/Result"
import { parse, TomlError } from "smol-toml"

/** A manifest, and the content of its file, which is what its signatures sign. */
export interface ParsedManifest {
  readonly manifest: Manifest
  readonly content: Readonly<Record<string, unknown>>
}

/** Maximum bytes of a `module.toml`. */
export const MAX_MANIFEST_BYTES = 64 * 1024

const parsedToml = (text: string): Result.Result<Readonly<Record<string, unknown>>, string> => {
  try {
    return Result.succeed(parse(text))
  } catch (error) {
    if (!(error instanceof TomlError)) return Result.fail("not valid TOML")
    const reason = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "")
    return Result.fail(`not valid TOML at line ${error.line}, column ${error.column}: ${reason}`)
  }
}

/** Parses the text of a `module.toml`. Fails with one line for each invalid field. */
export const parseManifest = (text: string): Result.Result<ParsedManifest, ReadonlyArray<string>> => {
  const toml = parsedToml(text.replace(/^\uFEFF/, ""))
  if (Result.isFailure(toml)) return Result.fail([toml.failure])
  const content = toml.success
  return Result.match(readManifest(content), {
    onSuccess: (manifest) => Result.succeed({ manifest, content }),
    onFailure: (faults) => Result.fail(faults.map(manifestFaultText))
  })
}
