import { assert, describe, it } from "@effect/vitest"
import { loadKoffi } from "@lockstep/crypto/native-memory.ts"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const urlOf = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)

/** Native code writes to standard error, as LMDB does, and then a line of the log follows. */
const program = (words: ReadonlyArray<string>, then: string): string => `
import { loadKoffi } from ${urlOf("../../../../crypto/src/native-memory.ts")}
import { nativeStderr } from ${urlOf("../../../src/storage/key-value/native-stderr.ts")}
const { value: { load, decode } } = loadKoffi()
const library = load(null)
const write = library.func("int fputs(const char *text, void *stream)")
nativeStderr()
nativeStderr()
for (const words of ${JSON.stringify(words)}) write(words, decode(library.symbol("stderr", "void *"), "void *"))
${then}
process.stdout.write('{"time":1}\\n')`

/** What both streams say when they go to the same place. */
const outputOf = (text: string): string => {
  const { status, stdout } = spawnSync("sh", [
    "-c",
    "exec \"$@\" 2>&1",
    "sh",
    process.execPath,
    "--input-type=module",
    "-e",
    text
  ], {
    encoding: "utf8",
    cwd: fileURLToPath(new URL(".", import.meta.url))
  })
  assert.strictEqual(status, 0, stdout)
  return stdout
}

describe.skipIf(!loadKoffi().ok)("what native code writes to standard error", () => {
  it("ends its line before the log goes on", () => {
    assert.strictEqual(
      outputOf(program(["Write error: no space"], "nativeStderr().endLine()")),
      "Write error: no space\n{\"time\":1}\n"
    )
  })

  it("is held back until its line ends", () => {
    assert.strictEqual(
      outputOf(program(["a line\nand a", " half"], "")).split("\n").slice(0, 2).join("|"),
      "a line|{\"time\":1}"
    )
  })

  it("is left as it is when it ends its lines itself", () => {
    assert.strictEqual(outputOf(program(["a line\n"], "nativeStderr().endLine()")), "a line\n{\"time\":1}\n")
  })
})
