import type { Page } from 'playwright-core';

/** What a browser can tell about the look of a screen. Each function returns what is wrong, or an empty list. */

/** The controls that take up room, as elements of the page. */
const controls = `[...document.querySelectorAll('button, input, textarea, select')].filter((one) => {
  const { width, height } = one.getBoundingClientRect();
  return width > 4 && height > 4 && getComputedStyle(one).visibility === 'visible' && getComputedStyle(one).opacity !== '0';
})`;
const nameOf = `((one) => one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.textContent ?? one.id))`;

/** Controls that forced colours leave without an edge: of their own, of the box around them, or of the mark in their label. */
export const findBorderlessControls = (page: Page): Promise<string[]> =>
  page.evaluate(`${controls}.filter((one) => {
    const hasEdge = (box) => ['Top', 'Bottom'].some((side) => {
      const style = getComputedStyle(box);
      return parseFloat(style['border' + side + 'Width']) >= 1 && style['border' + side + 'Style'] !== 'none';
    });
    const label = one.closest('label');
    return ![one, one.parentElement, ...(label ? [label, ...label.children] : [])].some(hasEdge);
  }).map(${nameOf})`);

/** Elements that move although the person wants reduced motion. */
export const findMotion = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('*')].filter((one) => {
    const { animationName, animationDuration, transitionDuration } = getComputedStyle(one);
    const moves = (durations) => durations.split(', ').some((duration) => parseFloat(duration) > 0);
    return (animationName !== 'none' && moves(animationDuration)) || moves(transitionDuration);
  }).map(${nameOf})`);

/** How many pixels of the page lie beyond the right edge of the window. */
export const findOverflow = (page: Page): Promise<number> =>
  page.evaluate('Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)');

/** Follows the focus by Tab, and returns the elements at which it cannot be seen. */
export async function findHiddenFocus(page: Page, steps: number): Promise<string[]> {
  const hidden: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    await page.keyboard.press('Tab');
    const found: string | null = await page.evaluate(`(() => {
      const one = document.activeElement;
      if (!one || one === document.body) return null;
      const isRing = (box) => parseFloat(getComputedStyle(box).outlineWidth) >= 2 && getComputedStyle(box).outlineStyle !== 'none';
      const boxes = [one, one.parentElement, one.parentElement.parentElement, one.nextElementSibling];
      return boxes.some((box) => box && isRing(box)) ? null : ${nameOf}(one);
    })()`);
    if (found !== null) hidden.push(found);
  }
  return hidden;
}
