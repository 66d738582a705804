import { assert, describe, it } from "vitest"
import { CODE, type Edit, edited, FITS, linesOf, SPEC, TEST, VECTORS } from "./trace-fixture.ts"

/** Faults injected one by one: what is done, and what must be said about it. */
const FAULTS: ReadonlyArray<readonly [done: string, edit: Edit, said: RegExp]> = [
  [
    "a formula is edited",
    [SPEC, "\\ge 7", "\\ge 8"],
    /FRT-001: changed since fruitIsRipe was written: #[0-9a-f]{8} → #[0-9a-f]{8} \[meaning\]/
  ],
  [
    "a normative field is edited",
    [SPEC, "reject: unripe", "reject: sour"],
    /FRT-001: changed since fruitIsRipe was written/
  ],
  [
    "a tag has no hash",
    [CODE, FITS[CODE]!.match(/@spec FRT-001( #\w+)/)![1]!, ""],
    /fruitIsRipe is not pinned to its statement.*@spec FRT-001 #/
  ],
  [
    "a function is renamed",
    [CODE, "const fruitIsRipe", "const isRipe"],
    /FRT-001: belongs to fruitIsRipe, cited by isRipe/
  ],
  [
    "the spec renames a symbol",
    [SPEC, "symbol: sweetness", "symbol: sugar"],
    /FRT-002: belongs to sugar, cited by sweetness/
  ],
  [
    "a wrong id is raised",
    [CODE, "fault(\"FRT-001\"", "fault(\"FRT-002\""],
    /fruitIsRipe implements FRT-001 but raises FRT-002/
  ],
  [
    "an unknown id is raised",
    [CODE, "fault(\"FRT-001\"", "fault(\"FRT-009\""],
    /FRT-009: fruitIsRipe raises FRT-009, which the spec does not have/
  ],
  [
    "a judgement raises nothing",
    [CODE, "? UNRIPE : 0", "? 1 : 0"],
    /FRT-001: is a judgement, but nothing in kernel\/src\/fruit\.ts raises it/
  ],
  [
    "a computation raises itself",
    [CODE, "* 4", "* fault(\"FRT-002\", 0)"],
    /FRT-002: is a computation, which raises nothing/
  ],
  [
    "a composition raises a part",
    ["kernel/src/eat.ts", "|| sweetness(fruit)", "|| fault(\"FRT-001\", 0)"],
    /eat implements FRT-003 but raises FRT-001/
  ],
  [
    "another error is raised",
    [CODE, "ScriptError.UNRIPE", "ScriptError.SOUR"],
    /FRT-001: states the errors UNRIPE, the code raises SOUR/
  ],
  ["an internal function raises a rule of another file", [
    "kernel/src/eat.ts",
    "/** All",
    "/** @internal */\nexport const eat2 = () => fault(\"FRT-001\", 0)\n\n/** All"
  ], /eat2 raises FRT-001, whose function is in another file/],
  [
    "an unknown id is cited",
    [CODE, "@spec FRT-002", "@spec FRT-999"],
    /FRT-999: sweetness cites FRT-999, which the spec does not have/
  ],
  ["a rule has no function", [CODE, "@spec FRT-002", "@spec FRT-999"], /FRT-002: implemented 0 times, wanted once/],
  [
    "a rule has two functions",
    [CODE, "/** Half of it. @internal */", "/** @spec FRT-002 #00000000 */"],
    /FRT-002: implemented 2 times, wanted once: sweetness in .*, half in /
  ],
  ["an export has no tag", [CODE, "@internal", ""], /half: is exported with neither @spec nor @internal/],
  [
    "an exported value has no tag",
    ["kernel/src/eat.ts", "/** All", "export const A = 1\n/** All"],
    /A: is exported with neither @spec nor @internal/
  ],
  [
    "no face exports an export any more",
    ["kernel/src/index.ts", "{ basket }", "{ type Basket }"],
    /basket: is exported with neither @spec nor @internal, and no public face exports it/
  ],
  [
    "a face exports what is internal",
    ["kernel/src/basket.ts", "carried in.", "carried in. @internal"],
    /basket: is @internal, but a public face exports it/
  ],
  [
    "an export has both tags",
    [CODE, "Fruit has ripened.", "Fruit has ripened. @internal"],
    /fruitIsRipe: has both @spec and @internal/
  ],
  [
    "a parameter is renamed",
    [CODE, "(fruit: Fruit, day: Day)", "(fruit: Fruit, date: number)"],
    /inputs are \(fruit, day\), parameters of fruitIsRipe are \(fruit, date\) \[parameters\]/
  ],
  [
    "parameters change places",
    [CODE, "(fruit: Fruit, day: Day)", "(day: Day, fruit: Fruit)"],
    /parameters of fruitIsRipe are \(day, fruit\)/
  ],
  [
    "a parameter has another type",
    [CODE, "(fruit: Fruit, day: Day)", "(fruit: Fruit, day: number)"],
    /inputs are typed \(Fruit, Day\), parameters of fruitIsRipe \(Fruit, number\) \[parameters\]/
  ],
  [
    "a parameter may be missing",
    [CODE, "(fruit: Fruit, day: Day)", "(fruit: Fruit, day: Day | undefined)"],
    /parameters of fruitIsRipe \(Fruit, Day, or none\)/
  ],
  ["another value is yielded", [
    CODE,
    "sweetness(fruit: Fruit): number",
    "sweetness(fruit: Fruit): Verdict<bigint, Sour>"
  ], /yields number, sweetness answers bigint \[parameters\]/],
  ["a rule is implemented by a value", [
    CODE,
    "export function sweetness(fruit: Fruit): number {\n  return half(fruit.sugar) * 4\n}",
    "export const sweetness = 4"
  ], /FRT-002: sweetness is no function/],
  [
    "a constant differs",
    ["kernel/src/constants.ts", "= 7", "= 6"],
    /CST-900: RIPENING is 7, the kernel's is 6 \[constants\]/
  ],
  [
    "a constant has another type",
    ["kernel/src/constants.ts", "= 7", "= 7n"],
    /CST-900: RIPENING is 7, the kernel's is 7n/
  ],
  [
    "the table differs",
    ["spec/rules/constants.md", "2 ** 3 - 1", "2 ** 3"],
    /CST-900: RIPENING is 8, the kernel's is 7/
  ],
  [
    "a table value is no number",
    ["spec/rules/constants.md", "2 ** 3 - 1", "a week"],
    /CST-900: "a week" is no number expression/
  ],
  [
    "a constant is renamed",
    ["kernel/src/constants.ts", "RIPENING", "DAYS"],
    /CST-900: is called RIPENING, the kernel's export is DAYS/
  ],
  [
    "a constant is not exported",
    ["kernel/src/constants.ts", "@spec CST-900", "@internal"],
    /CST-900: exported 0 times with @spec CST-900, wanted once/
  ],
  [
    "requires names a dead rule",
    [SPEC, "requires: [FRT-001]", "requires: [FRT-007]"],
    /FRT-002: requires names FRT-007, which is no rule/
  ],
  [
    "order names a dead rule",
    [SPEC, "order: [FRT-001, FRT-002]", "order: [FRT-001, FRT-007]"],
    /FRT-003: order names FRT-007/
  ],
  [
    "order names an id twice",
    [SPEC, "order: [FRT-001, FRT-002]", "order: [FRT-001, FRT-002, FRT-001]"],
    /FRT-003: order names an id twice/
  ],
  [
    "constants names a rule",
    [SPEC, "constants: [CST-900]", "constants: [FRT-002]"],
    /FRT-001: constants names FRT-002, which is no constant/
  ],
  [
    "requires runs in a circle",
    [SPEC, "constants: [CST-900]", "requires: [FRT-002]"],
    /FRT-001: requires runs in a circle: FRT-001 → FRT-002 → FRT-001/
  ],
  [
    "order contradicts requires",
    [SPEC, "order: [FRT-001, FRT-002]", "order: [FRT-002, FRT-001]"],
    /FRT-003: tries FRT-002 before FRT-001, which FRT-002 requires/
  ],
  [
    "a vector cites an unknown rule",
    [VECTORS, "\"rules\": [\"FRT-002\"]", "\"rules\": [\"FRT-008\"]"],
    /case 0 cites FRT-008, which the spec does not have/
  ],
  [
    "a vector expects an unknown rule",
    [VECTORS, "\"violation\": \"FRT-001\"", "\"violation\": \"FRT-008\""],
    /case 1 cites FRT-008/
  ],
  [
    "a vector file is cut",
    [VECTORS, "] }", "]"],
    /FRT-001\.json: FRT-001: is not \{ "rule": "FRT-001", "cases": \[ … \] \}/
  ],
  [
    "a vector file has another name than its rule",
    [VECTORS, "\"rule\": \"FRT-001\"", "\"rule\": \"FRT-002\""],
    /is not \{ "rule": "FRT-001"/
  ],
  [
    "a property test is dropped",
    [TEST, "it(\"FRT-001/P2 stays ripe\", () => {})", "{}"],
    /FRT-001\/P2: no property test/
  ],
  [
    "a property test of a table is dropped",
    [TEST, "it.each([\"FRT-002\"])", "it.each([\"FRT-003\"])"],
    /FRT-002\/P1: no property test/
  ],
  [
    "a property id is not at the start",
    [TEST, "FRT-001/P2 stays", "stays FRT-001/P2"],
    /FRT-001\/P2: no property test/
  ],
  ["a test names an unknown property", [TEST, "FRT-001/P2", "FRT-001/P3"], /FRT-001\/P3: tested but not in the spec/],
  [
    "a test cites an unknown rule",
    [TEST, "describe(\"FRT-001\"", "describe(\"FRT-044\""],
    /FRT-044: a test cites FRT-044/
  ],
  [
    "heading and block differ",
    [SPEC, "id: FRT-002", "id: FRT-005"],
    /FRT-002: heading FRT-002 and block FRT-005 differ/
  ],
  ["a rule is stated twice", [SPEC, "## FRT-002 · Sweetness", "## FRT-001 · Sweetness"], /FRT-001: defined twice/],
  ["a rule has no formula", [SPEC, "$$sweetness(fruit) = 2 \\cdot fruit.sugar$$", ""], /FRT-002: has no formula/],
  ["a rule has no property", [SPEC, "- **P1** The value equals the statement.", ""], /FRT-002: has no property/],
  [
    "properties have a gap",
    [SPEC, "- **P2** Monotone", "- **P3** Monotone"],
    /FRT-001: properties are numbered from P1 on; found FRT-001\/P3/
  ],
  ["a block is not YAML", [SPEC, "kind: computation", "kind: [computation"], /FRT-002: the rule block is not YAML/],
  ["a kind is unknown", [SPEC, "kind: computation", "kind: miracle"], /FRT-002: kind must be one of/],
  ["a composition has no order", [SPEC, "order: [FRT-001, FRT-002]\n", ""], /FRT-003: a composition states an order/],
  [
    "a block stands under no rule",
    [SPEC, "## FRT-002 · Sweetness", "## Sweetness"],
    /a rule's heading is `AREA-nnn · Title`/
  ]
]

describe("trace of a workspace with a fault", () => {
  it.each(FAULTS)("reports when %s", async (_, [path, from, to], said) => {
    const lines = await linesOf(edited(FITS, path, from, to))
    assert.isTrue(lines.some((line) => said.test(line)), `not said in:\n${lines.join("\n")}`)
  })
})
