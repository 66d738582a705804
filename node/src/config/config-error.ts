import * as Schema from "effect/Schema"

/** The configuration cannot be used: each problem is one line that says where, what and what to do. */
export class ConfigError
  extends Schema.TaggedError<ConfigError>()("ConfigError", { problems: Schema.Array(Schema.String) })
{
  override get message(): string {
    return this.problems.join("\n")
  }
}

export const configError = (...problems: ReadonlyArray<string>): ConfigError => new ConfigError({ problems })
