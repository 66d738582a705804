import type { Pin } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { randomUUID } from "node:crypto"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { ensuring } from "../../finalizers/finalizers.ts"
import { MANIFEST } from "./discover.ts"
import { fetchFile, type FetchLimits } from "./fetch-file.ts"
import { MAX_MANIFEST_BYTES, parseManifest } from "./parse-manifest.ts"
import { MAX_PROGRAM_BYTES } from "./program-file.ts"
import { newestOffer, type OfferedModule, offersIn } from "./registry-index.ts"
import { type Checksums, sha256Hex, signedChecksums } from "./signed-checksums.ts"
import { MEBIBYTE } from "../../units.ts"

/** The source of modules and the keys that it is trusted by. */
export interface Registry {
  readonly url: URL
  /** Keys in hexadecimal digits. */
  readonly trustedKeys: ReadonlySet<string>
  /** The directory of modules. */
  readonly directory: string
}

const SMALL: FetchLimits = { mostBytes: MEBIBYTE, limitMs: 30_000 }
const LARGE: FetchLimits = { mostBytes: MAX_PROGRAM_BYTES, limitMs: 300_000 }

const checked = Effect.fnUntraced(function*(
  { url }: Registry,
  checksums: Checksums,
  path: string,
  limits: FetchLimits
): Effect.fn.Return<Uint8Array, string> {
  const expected = checksums.get(path)
  if (expected === undefined) return yield* Effect.fail(`SHA256SUMS does not name ${path}`)
  const content = yield* fetchFile(new URL(path, url), limits)
  return sha256Hex(content) === expected ? content : yield* Effect.fail(`${path} has not the hash in SHA256SUMS`)
})

/** Fetches the checksums beside the index and requires a signature by a trusted key. */
const checksumsOf = Effect.fnUntraced(function*({ trustedKeys, url }: Registry): Effect.fn.Return<Checksums, string> {
  const sums = yield* fetchFile(new URL("SHA256SUMS", url), SMALL)
  const signatures = yield* fetchFile(new URL("SHA256SUMS.sig", url), SMALL)
  return yield* Effect.fromResult(signedChecksums(sums, Buffer.from(signatures).toString("utf8"), trustedKeys))
})

interface Fetched {
  readonly manifest: Uint8Array
  readonly program: Uint8Array
  readonly entryPoint: string
}

const fetched = Effect.fnUntraced(function*(
  registry: Registry,
  checksums: Checksums,
  { name, path, versionText }: OfferedModule
): Effect.fn.Return<Fetched, string> {
  const manifest = yield* checked(registry, checksums, `${path}${MANIFEST}`, {
    ...SMALL,
    mostBytes: MAX_MANIFEST_BYTES
  })
  const parsed = parseManifest(Buffer.from(manifest).toString("utf8"))
  if (Result.isFailure(parsed)) return yield* Effect.fail(`${path}${MANIFEST}: ${parsed.failure.join("; ")}`)
  const { entryPoint, name: own, versionText: ownVersion } = parsed.success.manifest
  if (own !== name || ownVersion !== versionText) {
    return yield* Effect.fail(
      `${path}${MANIFEST} is of ${own} ${ownVersion}, and the index says ${name} ${versionText}`
    )
  }
  return { manifest, entryPoint, program: yield* checked(registry, checksums, `${path}${entryPoint}`, LARGE) }
})

const EXECUTABLE = 0o755

/** Writes a module under a name that scans ignore, then renames it, so that it is installed atomically. */
const written = ({ directory }: Registry, name: string, { entryPoint, manifest, program }: Fetched) => {
  const unfinished = join(directory, `.${randomUUID()}`)
  const write = Effect.tryPromise({
    try: async () => {
      await mkdir(unfinished, { recursive: true })
      await writeFile(join(unfinished, entryPoint), program, { mode: EXECUTABLE, flush: true })
      await writeFile(join(unfinished, MANIFEST), manifest, { flush: true })
      await rename(unfinished, join(directory, name))
    },
    catch: (error) => `it cannot be written: ${(error as Error).message}`
  })
  return write.pipe(ensuring(Effect.promise(() => rm(unfinished, { recursive: true, force: true }))))
}

/** Downloads the newest version of a module that a pin allows. Returns the version; fails with a reason. */
export const installModule = Effect.fn("modules.install")(function*(
  registry: Registry,
  name: string,
  pin: Pin
): Effect.fn.Return<string, string> {
  const checksums = yield* checksumsOf(registry)
  const index = yield* checked(registry, checksums, basename(registry.url.pathname), SMALL)
  const offer = newestOffer(yield* Effect.fromResult(offersIn(index)), name, pin)
  if (offer === undefined) return yield* Effect.fail(`the registry has no ${name} that meets ${pin.written}`)
  yield* written(registry, name, yield* fetched(registry, checksums, offer))
  return offer.versionText
})
