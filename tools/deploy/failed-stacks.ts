/** A stack as CloudFormation describes it. */
export interface DeployedStack {
  readonly name: string;
  readonly status: string;
  readonly isProtected: boolean;
}

/** The calls to AWS that `npm run deploy` makes before CDK deploys the stacks. */
export interface Stacks {
  find(name: string): Promise<DeployedStack | undefined>;
  /** Allows the deletion of a stack. */
  unprotect(name: string): Promise<void>;
  /** The names of the tables that the stack made and that still exist. */
  tablesOf(name: string): Promise<readonly string[]>;
  isEmpty(table: string): Promise<boolean>;
  /** Allows the deletion of a table. */
  unprotectTable(table: string): Promise<void>;
}

/** A table with items prevents the deployment. Only a person may decide what happens to the table. */
export class TableNotEmptyError extends Error {
  override readonly name = 'TableNotEmptyError';

  constructor(stack: string, table: string) {
    super(
      `the first deployment of ${stack} failed, but its table ${table} has items: save them, then delete the stack`,
    );
  }
}

/** The states of a stack whose first deployment failed. CDK deletes such a stack and makes it again. */
const failedFirst = new Set(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED']);

/**
 * Removes the protection from stacks whose first deployment failed, and from the tables of these stacks, so CDK can
 * delete the stacks and make them again. On a stage that keeps its data, stacks and tables are protected from their
 * first moment. So without this function, a failed first deployment of such a stage could never be repeated.
 *
 * @returns the names of these stacks
 * @throws TableNotEmptyError when a table of such a stack has items; nothing in this stack was changed
 */
export async function clearFailedStacks(names: readonly string[], stacks: Stacks): Promise<string[]> {
  const cleared: string[] = [];
  for (const name of names) {
    const stack = await stacks.find(name);
    if (!stack || !failedFirst.has(stack.status)) continue;
    const tables = await stacks.tablesOf(name);
    for (const table of tables) if (!(await stacks.isEmpty(table))) throw new TableNotEmptyError(name, table);
    for (const table of tables) await stacks.unprotectTable(table);
    if (stack.isProtected) await stacks.unprotect(name);
    cleared.push(name);
  }
  return cleared;
}
