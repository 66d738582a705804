import type { MethodFacts } from "../definition/method-facts.ts"

/** Facts about one parameter that a client needs: method, position, name, and whether it is a string. */
export type CommandConversion = readonly [method: string, position: number, name: string, isText: boolean]

/**
 * Returns Bitcoin Core's `RPCHelpMan::GetArgMap` for all methods, by which clients are checked. Members of an options
 * object have its position.
 */
export const commandConversions = (methods: Iterable<MethodFacts>): ReadonlyArray<CommandConversion> =>
  [...methods].toSorted((one, other) => one.name < other.name ? -1 : 1).flatMap(({ name: method, parameters }) =>
    Object.entries(parameters).flatMap(([own, { aliases, kind, members }], position) => [
      ...[own, ...aliases].map((name): CommandConversion => [method, position, name, kind === "string"]),
      ...members.map((name): CommandConversion => [method, position, name, false])
    ])
  )
