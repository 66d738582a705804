import { signedManifestBytes } from "@lockstep/protocol/module-manifest/index.ts"
import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import * as Result from "effect/Result"
import { parseManifest } from "../../../src/modules/registry/parse-manifest.ts"
import { offersIn } from "../../../src/modules/registry/registry-index.ts"
import { manifestSignatureFault } from "../../../src/modules/registry/signatures.ts"
import { signedChecksums } from "../../../src/modules/registry/signed-checksums.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** Files that a module or a registry comes with. */
interface ModuleFiles {
  readonly manifest: Uint8Array
  readonly index: Uint8Array
  readonly checksums: Uint8Array
  readonly signatures: Uint8Array
}

const KEY = `02${"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"}`
const HASH = "cd".repeat(32)

const LINES = [
  `name = "watcher"`,
  `version = "0.1.0-rc.1+build"`,
  `description = "d"`,
  `entry_point = "run"`,
  `capabilities = ["read_chain_state", "network_access"]`,
  `rpc_overrides = ["analyzepsbt"]`,
  `network_listen = ["127.0.0.1:3333"]`,
  `network_connect = ["*:443", "[::1]:1-9"]`,
  `[dependencies]`,
  `zmq = "0.1.*"`,
  `node = ">=0.1.0"`,
  `[compatibility]`,
  `min_node_version = "0.1.0"`,
  `tested_with = ["0.1.0"]`,
  `[binary]`,
  `hash = "sha256:${HASH}"`,
  `size = 7`,
  `download_url = "https://example.org/a"`,
  `[signatures]`,
  `threshold = "1-of-1"`,
  `[[signatures.maintainers]]`,
  `name = "Ann"`,
  `key = "${KEY}"`,
  `signature = "${"11".repeat(64)}"`
]

/** No fields of a manifest. */
const ODD = [
  `"a\\u0000b" = 1979-05-27T07:32:00Z`,
  `x = { y = [1, 2.5, inf, nan, -0.0, 7] }`,
  `[[signatures.maintainers]]`
]

const ENTRIES = [
  { name: "watcher", version: "0.1.0", path: "watcher/0.1.0/" },
  { name: "watcher", version: "1.0.0", path: "../", platform: "linux-x64" },
  { name: 7, version: null, path: ["a"] },
  null,
  "watcher"
]

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const maybeDamaged = (text: string, random: Random): Uint8Array => {
  const bytes = utf8(text)
  return random.oneIn(2) ? mutateBytes(bytes, random, bytes) : bytes
}

const linesOf = (random: Random): string => {
  const lines = random.oneIn(2) ? LINES : LINES.filter(() => !random.oneIn(12))
  const withOdd = random.oneIn(4) ? lines.toSpliced(random.below(lines.length + 1), 0, random.pick(ODD)) : lines
  return withOdd.join(random.oneIn(9) ? "\r\n" : "\n")
}

const generate = (random: Random): ModuleFiles => ({
  manifest: maybeDamaged(linesOf(random), random),
  index: maybeDamaged(JSON.stringify({ modules: ENTRIES.filter(() => random.oneIn(2)) }), random),
  checksums: maybeDamaged(`${HASH}  watcher/0.1.0/module.toml\n${HASH} *a\n`, random),
  signatures: maybeDamaged(`[[signatures]]\nkey = "${KEY}"\nsignature = "${"11".repeat(64)}"\n`, random)
})

const manifestWrong = (text: string): string | undefined => {
  const parsed = parseManifest(text)
  if (Result.isFailure(parsed)) {
    return parsed.failure.length === 0 || parsed.failure.some((fault) => fault === "" || fault.includes("\n"))
      ? `faults that are no lines: ${JSON.stringify(parsed.failure)}`
      : undefined
  }
  const { content, manifest } = parsed.success
  const again = parseManifest(`\uFEFF${text}`)
  if (Result.isFailure(again)) return "a manifest is none behind a byte order mark"
  const signed = Buffer.from(signedManifestBytes(content))
  if (!signed.equals(signedManifestBytes(again.success.content))) return "the signed bytes of a manifest are others"
  const fault = manifestSignatureFault(parsed.success, { required: true, trustedKeys: new Set() })
  return fault === undefined
    ? `made-up signatures are taken: ${JSON.stringify(manifest.signatures)}`
    : undefined
}

const indexWrong = (index: Uint8Array): string | undefined => {
  const outside = Result.getOrElse(offersIn(index), () => []).find(({ path }) =>
    !new URL(path, "https://a/b/").href.startsWith("https://a/b/")
  )
  return outside === undefined ? undefined : `an offer leads out of the registry: ${outside.path}`
}

/** Files of modules and registries: read or refused in words, and made-up signatures are never taken. */
export const moduleFilesTarget: Target<ModuleFiles> = {
  name: "module-files",
  about: "manifests of modules, and the index, checksums and signatures of registries, right and damaged",
  generate,
  regressions: REGRESSIONS,
  judge: ({ checksums, index, manifest, signatures }) => {
    const isTaken = Result.isSuccess(signedChecksums(checksums, textOf(signatures), new Set([KEY])))
    return isTaken
      ? "checksums with made-up signatures are taken"
      : manifestWrong(textOf(manifest)) ?? indexWrong(index)
  }
}
