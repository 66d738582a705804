import { build, type BuildOptions, type Plugin } from "esbuild"
import { builtinModules } from "node:module"
import { fileURLToPath } from "node:url"
import vm from "node:vm"
import { assert, describe, it } from "vitest"
import { payToTaproot } from "./signing.ts"

const BUILT_IN = new Set(builtinModules)

/** Makes every import of what only Node.js has an error, also deep inside a dependency. */
const noBuiltIns: Plugin = {
  name: "no-built-ins",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[a-z_]/ }, ({ importer, path }) => {
      const [folder] = path.replace(/^node:/, "").split("/")
      return path.startsWith("node:") || BUILT_IN.has(folder!)
        ? { errors: [{ text: `${importer} imports ${path}` }] }
        : undefined
    })
  }
}

const OPTIONS = {
  bundle: true,
  platform: "browser",
  format: "iife",
  globalName: "kernel",
  write: false,
  metafile: true,
  logLevel: "silent",
  plugins: [noBuiltIns] as Array<Plugin>
} as const satisfies BuildOptions

const bundle = (entry: Pick<BuildOptions, "entryPoints" | "stdin">) => build({ ...entry, ...OPTIONS })

const bundled = await bundle({ entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))] })

/**
 * Judges the spend of one input whose parts are given as hexadecimal, with nothing but what the language itself offers.
 */
const JUDGE = `
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16))
  const verdictOf = (transaction, script, value) => {
    const decoded = kernel.decodeTransaction(bytes(transaction))
    if (decoded._tag !== "Success") return decoded.failure.rule
    const tx = decoded.success
    const spentOutputs = [{ value: BigInt(value), script: bytes(script) }]
    const digests = kernel.spendDigests(tx, spentOutputs, kernel.nobleCrypto)
    const spend = { tx, inputIndex: 0, spentOutputs, digests, flags: kernel.CONSENSUS_FLAGS }
    const verdict = kernel.verifyScript(kernel.createMachine(kernel.nobleCrypto), spend)
    return verdict._tag === "Success" ? "holds" : verdict.failure.detail.error
  }
`

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("a browser bundle of the kernel", () => {
  it("consists of the kernel, effect and @noble", () => {
    const packageOf = (file: string): string => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? "kernel"
    const packages = new Set(Object.keys(bundled.metafile.inputs).map(packageOf))
    assert.deepStrictEqual([...packages].sort(), [
      "@noble/ciphers",
      "@noble/hashes",
      "@noble/secp256k1",
      "effect",
      "kernel"
    ])
  })

  it("judges a taproot spend where there is no process, no Buffer, no require", () => {
    const bare = vm.createContext(Object.create(null) as object)
    const absent = vm.runInContext("[typeof process, typeof Buffer, typeof require, typeof crypto].join()", bare)
    assert.strictEqual(absent, "undefined,undefined,undefined,undefined")
    vm.runInContext(bundled.outputFiles[0]!.text, bare, { filename: "bundle.js" })
    vm.runInContext(JUDGE, bare)
    const { bytes, spentOutputs: [spent] } = payToTaproot()
    const judge = (transaction: Uint8Array, value: bigint): unknown =>
      vm.runInContext(`verdictOf("${hexOf(transaction)}", "${hexOf(spent!.script)}", "${value}")`, bare)
    assert.strictEqual(judge(bytes, spent!.value), "holds")
    assert.strictEqual(judge(bytes, spent!.value + 1n), "SCHNORR_SIG")
    assert.strictEqual(judge(bytes.subarray(0, bytes.length - 1), spent!.value), "SER-003")
  })

  it.each(["node:fs", "fs", "fs/promises", "crypto"])("would not be made with an import of %s", async (specifier) => {
    const failure = await bundle({ stdin: { contents: `import "${specifier}"` } }).then(() => "none", String)
    assert.include(failure, `imports ${specifier}`)
  })
})
