import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { shownParameters } from "../methods/help/help-text.ts"
import type { MethodFacts } from "../methods/definition/method-facts.ts"
import { say } from "./terminal.ts"

type Methods = ReadonlyMap<string, MethodFacts>

const FIRST_SENTENCE = /^.*?[.:](?=\s|$)/s

const aboutOf = ({ description }: MethodFacts): string =>
  (FIRST_SENTENCE.exec(description)?.[0] ?? description).replaceAll(/\s+/g, " ").replace(/[.:]$/, "")

/** Completions after a method: names of its parameters; after `help` other methods. */
const argumentsOf = (method: MethodFacts, methods: Methods): ReadonlyArray<Completions.ArgumentDescriptor> => {
  const names = shownParameters(method).map(([name]) => name)
  if (names.length === 0) return []
  const values = method.name === "help" ? [...methods.keys()] : names.map((each) => `${each}=`)
  return [{ name: "params", description: undefined, required: false, variadic: true, type: { _tag: "Choice", values } }]
}

const methodDescriptor = (method: MethodFacts, methods: Methods): Completions.CommandDescriptor => ({
  name: method.name,
  description: aboutOf(method),
  flags: [],
  arguments: argumentsOf(method, methods),
  subcommands: []
})

/** Describes the commands, with the RPC methods as commands of `rpc`. */
export const describedCommands = (
  command: Parameters<typeof Completions.fromCommand>[0],
  methods: Methods
): Completions.CommandDescriptor => {
  const described = Completions.fromCommand(command)
  const withMethods = (found: Completions.CommandDescriptor): Completions.CommandDescriptor =>
    found.name === "rpc"
      ? {
        ...found,
        arguments: [],
        subcommands: [...methods.values()].map((method) => methodDescriptor(method, methods))
      }
      : found
  return { ...described, subcommands: described.subcommands.map(withMethods) }
}

const BASH_NAMES = `_lockstep_names()
{
  _lockstep "$@"
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace
}
complete -F _lockstep_names lockstep
`

/** Removes the space that Bash adds after the `=` of a parameter, so that its value can be typed. */
const withoutSpace = (shell: Completions.Shell, script: string): string =>
  shell === "bash" ? `${script.trimEnd()}\n\n${BASH_NAMES}` : script

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const

/** `--completions <shell>`: prints a script that completes commands, options, methods and names of parameters. */
export const completionsFlag = GlobalFlag.Action({
  flag: Flag.Literals("completions", SHELLS).pipe(Flag.optional, Flag.withDescription("Print shell completion script")),
  run: Effect.fnUntraced(function*(shell, { command }) {
    if (Option.isNone(shell)) return
    const { METHODS } = yield* Effect.promise(() => import("../methods/table.ts"))
    const script = Completions.generate(command.name, shell.value, describedCommands(command, METHODS))
    yield* say(withoutSpace(shell.value, script).trimEnd())
  })
})
