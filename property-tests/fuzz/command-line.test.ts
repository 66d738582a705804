import { assert, describe, it } from "vitest"
import { type Command, readCommand as read } from "./command-line.ts"
import { TARGETS } from "./targets/all.ts"

const names = TARGETS.map(({ name }) => name)

const readCommand = (args: ReadonlyArray<string>, vectors: string | undefined): Command => read(args, vectors, names)

const message = (...args: ReadonlyArray<string>): string => {
  const command = readCommand(args, undefined)
  assert(command.type === "wrong")
  return command.message
}

describe("pnpm fuzz", () => {
  it("fuzzes everything for a minute unless asked otherwise", () => {
    const command = readCommand([], undefined)
    assert(command.type === "fuzz")
    assert.strictEqual(command.seconds, 60)
    assert.deepStrictEqual(command.targets, names)
    assert.include(command.targets, "block-sequence")
  })

  it("takes a target, seconds and a seed, also behind the -- of pnpm", () => {
    const command = readCommand(["--", "--target", "der", "--seconds", "5", "--seed", "7"], undefined)
    assert(command.type === "fuzz")
    assert.deepStrictEqual([command.targets, command.seconds, command.seed], [["der"], 5, 7])
  })

  it("explains itself", () => {
    assert.strictEqual(readCommand(["--help"], undefined).type, "help")
    assert.strictEqual(readCommand(["--list"], undefined).type, "list")
  })

  it("says what is wrong", () => {
    assert.include(message("--target", "dre"), "no target \"dre\"; choose all or one of decode-transaction")
    assert.include(message("--seconds", "soon"), "not \"soon\"")
    assert.include(message("--seed", "1.5"), "not \"1.5\"")
    assert.include(message("--corpus", "/nowhere/at/all"), "no directory /nowhere/at/all")
    assert.include(message("--sceonds", "3"), "--sceonds")
    assert.include(message("stray"), "stray")
  })
})
