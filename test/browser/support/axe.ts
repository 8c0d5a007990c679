import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** One rule of WCAG 2.2 (A and AA) that a screen violates, and where. */
export interface AxeFinding {
  readonly rule: string;
  readonly help: string;
  readonly places: readonly string[];
}

/** Returns what axe finds on a screen, or an empty list. */
export const findAccessibilityFaults = (page: Page): Promise<AxeFinding[]> =>
  findWith(new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']));

/** Returns the texts whose contrast is too low. Nothing else differs between light and dark. */
export const findLowContrast = (page: Page): Promise<AxeFinding[]> =>
  findWith(new AxeBuilder({ page }).withRules(['color-contrast']));

async function findWith(axe: AxeBuilder): Promise<AxeFinding[]> {
  const { violations } = await axe.analyze();
  return violations.map(({ id, help, nodes }) => ({
    rule: id,
    help,
    places: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary ?? ''}`),
  }));
}
