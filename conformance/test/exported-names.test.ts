import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")

/** Exports of these files are named by a protocol, a resource, or the vocabulary of a small language of declarations. */
const NAMED_OUTSIDE = [
  "protocol/src/wire/messages/",
  "protocol/src/module-ipc/",
  "node/src/core-rest/resources/",
  "node/src/config/schema/shapes.ts",
  "node/src/events/types/event-type.ts",
  "node/src/methods/definition/parameter.ts",
  "node/src/answers/result-schema.ts"
]

/** Each method's file exports it under its own name. */
const METHOD = /^node\/src\/methods\/[a-z-]+\.ts$/

/** Names that mean the same in every file that exports them. */
const SHARED: Readonly<Record<string, string>> = {
  UnixSeconds: "the kernel's number, and the same with a brand in the node",
  Writer: "has the only right to write: to the chain, or to bytes",
  run: "carries out a program that the launcher loads"
}

const DECLARED = /^export (?:abstract )?(?:const|function\*?|class|interface|type) (\w+)/gm

const filesOfNames = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const names = new Map<string, Set<string>>()
  for (const file of globSync("{kernel,node,protocol}/src/**/*.ts", { cwd: ROOT }).toSorted()) {
    if (METHOD.test(file) || NAMED_OUTSIDE.some((beginning) => file.startsWith(beginning))) continue
    for (const [, name] of readFileSync(join(ROOT, file), "utf8").matchAll(DECLARED)) {
      names.set(name!, (names.get(name!) ?? new Set()).add(file))
    }
  }
  return names
}

describe("exported names", () => {
  it("stand for one thing each in kernel, protocol and node", () => {
    const several = [...filesOfNames()].filter(([, files]) => files.size > 1)
    assert.deepStrictEqual(
      several.filter(([name]) => !Object.hasOwn(SHARED, name)).map(([name, files]) => [name, ...files]),
      []
    )
    const shared = several.map(([name]) => name).filter((name) => Object.hasOwn(SHARED, name))
    assert.deepStrictEqual(shared.toSorted(), Object.keys(SHARED))
  })
})
