import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  compareVersions,
  meets,
  type SemanticVersion,
  semanticVersionOf,
  versionRequirementOf
} from "../../src/module-manifest/index.ts"
import { check } from "../wire/check.ts"

/** The order that Semantic Versioning 2.0.0 gives as its example in §11. */
const ASCENDING = [
  "0.9.9",
  "1.0.0-0",
  "1.0.0-10",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.1",
  "1.1.0",
  "1.10.0",
  "2.0.0"
]

const version = (text: string): SemanticVersion => {
  const found = semanticVersionOf(text)
  assert(found !== undefined, text)
  return found
}

const holds = (requirement: string, text: string): boolean => meets(version(text), versionRequirementOf(requirement)!)

const number = fc.nat(12)
const anyVersion = fc.tuple(number, number, number).map((parts) => parts.join("."))

describe("versions of modules", () => {
  it("are ordered as Semantic Versioning orders them", () => {
    for (const [i, left] of ASCENDING.entries()) {
      for (const [j, right] of ASCENDING.entries()) {
        assert.strictEqual(
          Math.sign(compareVersions(version(left), version(right))),
          Math.sign(i - j),
          `${left} ${right}`
        )
      }
    }
    assert.strictEqual(compareVersions(version("1.0.0+a"), version("1.0.0+b")), 0)
  })

  it.each([
    "",
    "1",
    "1.2",
    "1.2.3.4",
    "01.2.3",
    "1.2.3-",
    "1.2.3-01",
    "1.2.3-a..b",
    "v1.2.3",
    " 1.2.3",
    "1.2.3+",
    "1.2.9999999999"
  ])(
    "%j is none",
    (text) => assert.isUndefined(semanticVersionOf(text))
  )

  it("are none where they are longer than any person writes", () => {
    assert.isUndefined(semanticVersionOf(`1.2.3-${"a".repeat(200)}`))
  })
})

describe("requirements of versions", () => {
  it.each([
    ["1.2.3", ["1.2.3"], ["1.2.2", "1.2.4"]],
    ["=1.2.3", ["1.2.3"], ["1.2.4"]],
    [">=1.0.0", ["1.0.0", "9.0.0"], ["0.9.9", "2.0.0-alpha"]],
    [">1.0.0", ["1.0.1"], ["1.0.0"]],
    ["<2.0.0", ["1.9.9", "0.0.1"], ["2.0.0", "2.0.0-rc.1"]],
    ["<=2.0.0", ["2.0.0"], ["2.0.1"]],
    ["^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]],
    ["^0.2.3", ["0.2.3", "0.2.9"], ["0.2.2", "0.3.0"]],
    ["^0.0.3", ["0.0.3"], ["0.0.2", "0.0.4"]],
    ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2"]],
    ["0.1.*", ["0.1.0", "0.1.9"], ["0.2.0", "1.1.0"]],
    ["1.*", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.9"]],
    ["*", ["0.0.0", "9.9.9"], ["1.0.0-alpha"]],
    [">=1.0.0, <1.5.0", ["1.0.0", "1.4.9"], ["1.5.0", "0.9.0"]],
    [">=1.0.0-beta", ["1.0.0-beta", "1.0.0-rc.1", "1.0.0", "1.2.0"], ["1.0.0-alpha", "1.1.0-beta"]]
  ])("%s is met by %j, and not by %j", (requirement, met, unmet) => {
    for (const text of met) assert.isTrue(holds(requirement, text), text)
    for (const text of unmet) assert.isFalse(holds(requirement, text), text)
  })

  it.each([
    "",
    ",",
    "1",
    "1.2",
    ">= ",
    "=>1.0.0",
    "1.*.2",
    "*.1.*",
    "x",
    ">=1.0.0,",
    "^1.*",
    Array(20).fill("*").join(",")
  ])(
    "%j is none",
    (text) => assert.isUndefined(versionRequirementOf(text))
  )

  it("^ and ~ are the two bounds that they stand for", () => {
    check(
      fc.property(anyVersion, anyVersion, (least, found) => {
        const { major, minor, patch } = version(least)
        const end = major > 0 ? `${major + 1}.0.0` : minor > 0 ? `0.${minor + 1}.0` : `0.0.${patch + 1}`
        assert.strictEqual(holds(`^${least}`, found), holds(`>=${least}, <${end}`, found))
        assert.strictEqual(holds(`~${least}`, found), holds(`>=${least}, <${major}.${minor + 1}.0`, found))
      }),
      300
    )
  })
})
