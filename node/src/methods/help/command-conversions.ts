import type { MethodFacts } from "../definition/method-facts.ts"

/** What a client has to know of one parameter: its method, its position, its name, and whether it is a text. */
export type CommandConversion = readonly [method: string, position: number, name: string, isText: boolean]

/** Bitcoin Core's `RPCHelpMan::GetArgMap` for all methods, by which clients are checked. Members of options stand at their place. */
export const commandConversions = (methods: Iterable<MethodFacts>): ReadonlyArray<CommandConversion> =>
  [...methods].toSorted((one, other) => one.name < other.name ? -1 : 1).flatMap(({ name: method, parameters }) =>
    Object.entries(parameters).flatMap(([own, { aliases, kind, members }], position) => [
      ...[own, ...aliases].map((name): CommandConversion => [method, position, name, kind === "string"]),
      ...members.map((name): CommandConversion => [method, position, name, false])
    ])
  )
