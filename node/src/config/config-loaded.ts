import type { NodeConfig } from "./config.ts"

/** What the event of a configuration says. */
interface ConfigLoaded {
  readonly network: NodeConfig["network"]
  readonly config_file?: string
  /** The tables of which a key is set anywhere. */
  readonly sections: ReadonlyArray<string>
}

/** The facts of the event `ConfigLoaded`. */
export const configLoaded = ({ file, network, sections = [] }: NodeConfig): ConfigLoaded => ({
  network,
  ...(file === undefined ? {} : { config_file: file }),
  sections
})
