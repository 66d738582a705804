import { assert, describe, it } from "vitest"
import { absolutePath } from "../../src/config/resolve/machine.ts"

const MACHINE = { home: "/home/ann", directory: "/work", processors: 1 }

describe("a path of the configuration", () => {
  it.each([
    ["/data", "/data"],
    ["/data/../other/", "/other"],
    ["data", "/work/data"],
    ["./data", "/work/data"],
    ["../data", "/data"],
    ["~", "/home/ann"],
    ["~/data", "/home/ann/data"],
    ["~/../bob", "/home/bob"],
    ["~bob/data", "/work/~bob/data"],
    ["data/~", "/work/data/~"],
    ["", "/work"]
  ])("%j means %s", (path, absolute) => {
    assert.strictEqual(absolutePath(path, MACHINE), absolute)
  })
})
