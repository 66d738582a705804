import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { replacedBy } from "./definition/unknown-method.ts"
import { commandConversions } from "./help/command-conversions.ts"
import { helpText, callSignature } from "./help/help-text.ts"
import { addedHelp, moduleMethodsOf, overrideHelp } from "./help/module-help.ts"
import { method } from "./definition/method.ts"
import type { Category, MethodFacts } from "./definition/method-facts.ts"
import { optionalWith, text } from "./definition/parameter.ts"

/** Groups that Bitcoin Core lacks. Programs that read its list do not expect them. */
const OWN_CATEGORIES: ReadonlySet<string> = new Set<Category>(["lockstep", "modules"])

/** Groups of methods: those of Bitcoin Core first. */
const CATEGORY_TITLES: Readonly<Record<Category, string>> = {
  blockchain: "Blockchain",
  control: "Control",
  generating: "Generating",
  mining: "Mining",
  network: "Network",
  rawtransactions: "Rawtransactions",
  signer: "Signer",
  util: "Util",
  zmq: "Zmq",
  lockstep: "Lockstep",
  modules: "Modules"
}

/** Undocumented command by which tools of Bitcoin Core check its clients. */
const DUMP = "dump_all_command_conversions"

const overview = (
  methods: ReadonlyMap<string, MethodFacts>,
  ofModules: ReadonlyArray<string>,
  isStandIn: boolean
): string => {
  const all = [...methods.values()].filter(({ category, isHidden = false }) =>
    !isHidden && !(isStandIn && OWN_CATEGORIES.has(category))
  )
  return Object.entries(CATEGORY_TITLES).flatMap(([category, title]) => {
    const own = all.filter((each) => each.category === category).map(callSignature)
    const signatures = [...own, ...category === "modules" ? ofModules : []].sort()
    return signatures.length === 0 ? [] : [`== ${title} ==\n${signatures.join("\n")}`]
  }).join("\n\n")
}

export const help = method({
  name: "help",
  category: "control",
  privilege: "anyone",
  description: "Lists all methods, or explains one.",
  parameters: { command: optionalWith(text({ description: "The method to explain" }), "", "all methods") },
  result: Schema.Union([
    Schema.String.annotate({ description: "The text" }),
    Schema.Array(Schema.Tuple([Schema.String, Schema.Number, Schema.String, Schema.Boolean])).annotate({
      description:
        "With dump_all_command_conversions: method, position, name and whether it is a text, for each parameter"
    })
  ]),
  examples: [{ params: [] }, { params: ["getblock"] }],
  call: ({ command }, { isStandIn, methods, modules }) => {
    if (command === DUMP) return Effect.succeed(commandConversions(methods.values()))
    const { added, overrides } = moduleMethodsOf({ modules })
    if (command === "") return Effect.succeed(overview(methods, added.map(({ name }) => name), isStandIn))
    const found = methods.get(command)
    if (found !== undefined) {
      const override = overrides.get(command)
      return Effect.succeed(helpText(found, { isStandIn }) + (override === undefined ? "" : overrideHelp(override)))
    }
    const ofModule = added.find(({ name }) => name === command)
    return Effect.succeed(
      ofModule === undefined ? replacedBy(command) ?? `help: unknown command: ${command}` : addedHelp(ofModule)
    )
  }
})
