/** A fault that a checker reports about a resource of a template. */
export interface Finding {
  readonly rule: string;
  /** The template and the resource. */
  readonly place: string;
  readonly message: string;
}

/** The reason why this platform accepts the findings of a rule. */
export interface Reason {
  readonly rule: string;
  readonly reason: string;
}

/** The fields that this check reads from the report of `cfn-lint --format json`. */
export type LintReport = readonly {
  readonly Filename: string;
  readonly Message: string;
  readonly Rule: { readonly Id: string };
  readonly Location: { readonly Path: readonly (string | number)[] | null };
}[];

/** The fields that this check reads from the report of `checkov --output json`. */
export interface CheckovReport {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly file_path: string;
      readonly resource: string;
    }[];
    readonly parsing_errors?: readonly string[];
  };
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path;

export const readLint = (report: LintReport): Finding[] =>
  report.map(({ Filename, Message, Rule, Location }) => ({
    rule: Rule.Id,
    place: `${nameOf(Filename)} ${Location.Path?.[1] ?? ''}`,
    message: Message,
  }));

export const readCheckov = ({ results }: CheckovReport): Finding[] => [
  ...results.failed_checks.map(({ check_id, check_name, file_path, resource }) => ({
    rule: check_id,
    place: `${nameOf(file_path)} ${resource}`,
    message: check_name,
  })),
  ...(results.parsing_errors ?? []).map((file) => ({ rule: 'checkov', place: file, message: 'it cannot be read' })),
];

/** Returns a sentence for each finding without a reason, and for each reason without a finding. */
export function findProblems(findings: readonly Finding[], reasons: readonly Reason[]): string[] {
  const explained = new Set(reasons.map(({ rule }) => rule));
  const found = new Set(findings.map(({ rule }) => rule));
  const open = findings.filter(({ rule }) => !explained.has(rule));
  return [
    ...open.map(({ rule, place, message }) => `${rule} ${place}: ${message}`),
    ...[...explained]
      .filter((rule) => !found.has(rule))
      .map((rule) => `${rule} has a reason, but no finding: delete it`),
  ];
}
