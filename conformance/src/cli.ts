import { command } from "./cli/command.ts"

// Whoever reads only the first lines (`… | head`) has what they wanted.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

process.exitCode = await command(process.argv.slice(2))
