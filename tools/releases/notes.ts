import { execFileSync } from 'node:child_process';
import { CommandError, isMissing, messageOf, readOptions, runCommand, UsageError } from '../command.ts';

const usage = `npm run release-notes [-- [FROM] [TO]]

Prints the notes of a release as Markdown, from its conventional commits. Which commits they are goes to the standard error.

  FROM     the tag or commit before the release; by default, the last tag before TO, or else the last commit before TO
           that recorded a release (npm run record-release), or else the first commit
  TO       the last commit of the release; by default, HEAD
  --help   prints this help`;

/** The folder of `npm run record-release`. It contains one release at a time. */
export const recordings = 'test/fixtures/releases';

/** A commit: its hash, the first line of its message, and the rest. */
export interface Commit {
  readonly hash: string;
  readonly title: string;
  readonly body: string;
}

/** The kinds of commits that the readers of a release care about, in the order of the notes. */
const headings = { feat: 'New', fix: 'Repaired', perf: 'Faster', revert: 'Taken back' } as const;
type Kind = keyof typeof headings;
const isKind = (kind: string): kind is Kind => Object.hasOwn(headings, kind);

/** `feat(store)!: items carry a version` */
const conventional = /^(?<kind>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<breaks>!)?: (?<text>.+)$/;

const first = 'Needs attention';

/** Returns the heading and the line of a commit. A commit that changes nothing for a reader has no heading. */
function entryOf({ hash, title, body }: Commit): { readonly heading: string | undefined; readonly line: string } {
  const { kind = '', scope, breaks, text = title } = conventional.exec(title)?.groups ?? {};
  const line = `- ${scope ? `**${scope}**: ` : ''}${text} (${hash.slice(0, 8)})`;
  const breaking = /^BREAKING CHANGE: (.+)$/m.exec(body)?.[1];
  if (breaking) return { heading: first, line: `${line}\n  ${breaking}` };
  return { heading: breaks ? first : isKind(kind) ? headings[kind] : undefined, line };
}

/**
 * The notes as Markdown. Breaking changes come first. The notes do not list commits that change nothing for a reader:
 * they only say how many there are.
 */
export function notesOf(version: string, commits: readonly Commit[]): string {
  const byHeading = Map.groupBy(commits.map(entryOf), ({ heading }) => heading);
  const parts = [first, ...Object.values(headings)].flatMap((heading) => {
    const lines = byHeading.get(heading)?.map(({ line }) => line);
    return lines ? [`## ${heading}\n\n${lines.join('\n')}`] : [];
  });
  const others = byHeading.get(undefined)?.length ?? 0;
  const rest = others > 0 ? [`${others} more ${others === 1 ? 'commit' : 'commits'}: documents, tests, tools.`] : [];
  return [`# ${version}`, ...parts, ...rest].join('\n\n');
}

/** Runs git and returns its output. @throws CommandError with git's own message */
function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (error) {
    if (isMissing(error)) throw new CommandError('there is no git: install it, then try again');
    const printed = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new CommandError(`git failed: ${printed || messageOf(error)}`);
  }
}

/** @throws UsageError when there is no such commit */
function checkCommit(name: string): void {
  git('rev-parse', '--git-dir');
  try {
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    throw new UsageError(`there is no tag or commit ${name}: git tag lists the tags`);
  }
}

/** @throws UsageError when the history of `to` has no commit that is not also in the history of `from` */
function checkOrder(from: string, to: string): void {
  if (git('rev-list', '--count', `${from}..${to}`) !== '0') return;
  throw new UsageError(`there is no commit after ${from} up to ${to}: FROM has to be before TO`);
}

/** The notes begin after this commit; undefined means at the first commit. `words` tells the reader where that is. */
interface Beginning {
  readonly commit: string | undefined;
  readonly words: string;
}

/** The release before a commit, by its tag or its recording. */
function releaseBefore(commit: string): Beginning {
  const others = git('rev-list', '--max-count=1', '--skip=1', commit);
  const [tag] = others ? git('tag', '--merged', `${commit}^`, '--sort=-creatordate', '--list', 'v*').split('\n') : [];
  if (tag) return { commit: tag, words: `after the tag ${tag}` };
  const recorded = others && git('log', '--max-count=1', '--format=%h', `${commit}^`, '--', recordings);
  if (recorded)
    return { commit: recorded, words: `after ${recorded}, which recorded the last release: there is no tag` };
  return { commit: undefined, words: 'from the first one on: no tag and no recording of a release is before' };
}

function commitsBetween(from: string | undefined, to: string): Commit[] {
  const range = from === undefined ? to : `${from}..${to}`;
  return git('log', '--no-merges', '--format=%H%x1f%s%x1f%b%x1e', range)
    .split('\x1e')
    .map((record) => record.trim().split('\x1f'))
    .flatMap(([hash = '', title = '', body = '']) => (hash ? [{ hash, title, body }] : []));
}

function main(): undefined {
  const options = { help: { type: 'boolean', default: false } } as const;
  const { values, positionals } = readOptions({ allowPositionals: true, options });
  if (values.help) {
    console.log(usage);
    return;
  }
  const [given, to = 'HEAD', extra] = positionals;
  if (extra !== undefined) throw new UsageError(`there is one argument too many, ${extra}: give FROM and TO at most`);
  for (const name of given === undefined ? [to] : [given, to]) checkCommit(name);
  if (given !== undefined) checkOrder(given, to);
  const { commit, words } = given === undefined ? releaseBefore(to) : { commit: given, words: `after ${given}` };
  const commits = commitsBetween(commit, to);
  console.error(`The notes of ${commits.length} commits up to ${to}, ${words}.`);
  console.log(notesOf(process.env.GITHUB_REF_NAME ?? git('describe', '--always', to), commits));
}

if (import.meta.main) await runCommand(main);
