import { runCli } from "./cli/run-cli.ts"

// A reader that has seen enough, such as `head`, is no error, and whether anybody reads does not stop a node.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
}

process.exitCode = await runCli(process.argv.slice(2))
