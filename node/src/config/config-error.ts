import * as Schema from "effect/Schema"

/** The configuration cannot be used. Each problem is one line with its location, the fault and the remedy. */
export class ConfigError
  extends Schema.TaggedError<ConfigError>()("ConfigError", { problems: Schema.Array(Schema.String) })
{
  override get message(): string {
    return this.problems.join("\n")
  }
}

export const configError = (...problems: ReadonlyArray<string>): ConfigError => new ConfigError({ problems })
