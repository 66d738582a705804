import { command } from "./cli/command.ts"

// A reader of only the first lines (`… | head`) closes the pipe: no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

process.exitCode = await command(process.argv.slice(2))
