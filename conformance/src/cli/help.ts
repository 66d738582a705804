import { PROVIDER_NAMES } from "@lockstep/crypto/provider.ts"

/** What `--help` prints. */
export const HELP = `Judges the kernel: runs it on every reference vector at hand and compares each answer.

Usage: pnpm conformance [options]

Which vectors (all that are found, if nothing is said)
  --suite NAME      only this suite; may be repeated (--list names them)
  --rule ID         print one rule (statement, code, vectors, properties) and run both
  --source KIND     only vectors of this source: ours (vectors/), npm (a package that the install brings)
                    or root (a directory of reference vectors); may be repeated
  --vectors DIR     a directory of reference vectors, beside those that the environment variable
                    LOCKSTEP_VECTORS lists; may be repeated
  --case FILE:INDEX only this case, as a failure prints it; may be repeated
  --small           leave out the large block and differential suites
  --slow            add the slow suites, which otherwise run only when --suite names them

How
  --provider NAME   crypto provider: ${PROVIDER_NAMES.join(", ")}, or all (one after another);
                    without it the fastest one that works here
  --jobs N          workers (as many as the machine has processors)

What to show
  --json FILE       also write a report: suites, rule coverage, failures
  --list            print every suite, what it reads, and every file that none reads, with the reason
  -h, --help        print this

Exit code: 0 all passed, 1 something failed, 2 the command was not understood.
`
