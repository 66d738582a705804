import {
  type CliSpec,
  type ModuleEventPayload,
  type ModuleEventType,
  unknownName
} from "@lockstep/protocol/module-ipc/index.ts"
import type { JsonValue } from "./json-text.ts"
import type { Migration } from "./migrations.ts"
import type { ModuleContext } from "./module-context.ts"
import type { SettingDefaults, Settings } from "./settings.ts"

type Awaitable<A> = A | Promise<A>

/** Handles events of some types, each with its own payload. */
export type EventHandlers<D extends SettingDefaults> = {
  readonly [T in ModuleEventType]?: (
    event: Extract<ModuleEventPayload, { readonly _tag: T }>,
    context: ModuleContext<D>
  ) => unknown
}

/** A method of RPC that the module answers. `overrides`: in the node's place, as `rpc_overrides` of the manifest says. */
export interface RpcMethod<D extends SettingDefaults> {
  readonly description: string
  readonly overrides?: true
  /**
   * `params` is what stands in `params` of the request; where the method `overrides`, always a list that fits the node's own. An error
   * that is thrown is the answer, with the code of an `RpcError`.
   */
  readonly call: (params: JsonValue, context: ModuleContext<D>) => Awaitable<JsonValue>
}

/** What a command prints, and its exit code. */
export interface CommandResult {
  readonly stdout: string
  readonly stderr?: string
  readonly exitCode?: number
}

/** A command below the name of the module. */
export interface Command<D extends SettingDefaults> {
  readonly about: string
  readonly arguments?: CliSpec["subcommands"][number]["arguments"]
  readonly run: (args: ReadonlyArray<string>, context: ModuleContext<D>) => Awaitable<CommandResult>
}

/** Methods that other modules call; parameters and answers are bytes that the modules agree on. */
export interface ModuleApi<D extends SettingDefaults> {
  readonly version: number
  readonly methods: Readonly<
    Record<string, (params: Uint8Array, caller: string, context: ModuleContext<D>) => Awaitable<Uint8Array>>
  >
}

/** A module as its author writes it. */
export interface ModuleParts<D extends SettingDefaults = SettingDefaults> {
  /** The version of `module.toml`. */
  readonly version: string
  readonly settings?: D
  /**
   * Steps of the database from its first form to the present one, oldest first; those that it has not seen run before `setup`. Never
   * change or remove one that was released. They need `read_storage` and `write_storage`.
   */
  readonly migrations?: ReadonlyArray<Migration<D>>
  /** After the handshake, before the node knows methods and subscriptions. */
  readonly setup?: (context: ModuleContext<D>) => unknown
  /** A function where the settings decide which events there are; it runs before `setup`. */
  readonly events?: EventHandlers<D> | ((settings: Settings<D>) => EventHandlers<D>)
  readonly rpc?: Readonly<Record<string, RpcMethod<D>>>
  readonly commands?: { readonly about: string; readonly subcommands: Readonly<Record<string, Command<D>>> }
  readonly api?: ModuleApi<D>
  /** After the node knows methods and subscriptions. */
  readonly ready?: (context: ModuleContext<D>) => unknown
  /** After the connection is over: the node unloads the module, or stops. */
  readonly stopped?: (context: ModuleContext<D>) => unknown
}

const PARTS: Readonly<Record<keyof ModuleParts, true>> = {
  version: true,
  settings: true,
  migrations: true,
  setup: true,
  events: true,
  rpc: true,
  commands: true,
  api: true,
  ready: true,
  stopped: true
}

/** What is wrong with the names of parts, or `undefined` if each exists. A program is built without a type check. */
export const unknownPart = (parts: object): string | undefined => {
  const name = Object.keys(parts).find((each) => !Object.hasOwn(PARTS, each))
  return name === undefined ? undefined : unknownName("part of a module", name, Object.keys(PARTS))
}
