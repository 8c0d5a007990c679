import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const usage = `npm run release-notes [-- [FROM] [TO]]

Prints the notes of a release as Markdown, from its conventional commits.

  FROM     the tag or commit before the release; by default, the last tag before TO, or the first commit
  TO       the last commit of the release; by default, HEAD
  --help   prints this help`;

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

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The tag before a commit; undefined before the first release. */
function tagBefore(commit: string): string | undefined {
  const [tag] = git('tag', '--merged', `${commit}^`, '--sort=-creatordate', '--list', 'v*').split('\n');
  return tag || undefined;
}

function commitsBetween(from: string | undefined, to: string): Commit[] {
  const range = from === undefined ? to : `${from}..${to}`;
  return git('log', '--no-merges', '--format=%H%x1f%s%x1f%b%x1e', range)
    .split('\x1e')
    .map((record) => record.trim().split('\x1f'))
    .flatMap(([hash = '', title = '', body = '']) => (hash ? [{ hash, title, body }] : []));
}

if (import.meta.main) {
  const options = { help: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    console.log(usage);
  } else {
    const [from, to = 'HEAD'] = positionals;
    const version = process.env.GITHUB_REF_NAME ?? git('describe', '--always', to);
    console.log(notesOf(version, commitsBetween(from ?? tagBefore(to), to)));
  }
}
