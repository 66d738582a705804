import { command } from "./cli/command.ts"

process.exitCode = await command(process.argv.slice(2))
