import { useEffect } from 'react';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { inside, listAt, type Pointer } from './pointer.ts';
import type { BuilderAction } from './reducer.ts';

/** A place of the builder that the focus is led to. Each object leads it once. */
export interface FocusTarget {
  readonly pointer: Pointer;
  /** Whether the first field that is still empty is meant, as in a new part. */
  readonly prefersEmpty: boolean;
}

/**
 * Where a person goes on after a change whose control may be gone: in the part that was added, or where a part was
 * removed. Undefined for other changes.
 *
 * @param document the document before the change
 */
export function targetAfter(action: BuilderAction, document: Json): FocusTarget | undefined {
  switch (action.kind) {
    case 'add':
      return { pointer: inside(action.list, listAt(document, action.list).length), prefersEmpty: true };
    case 'remove':
      return { pointer: action.pointer, prefersEmpty: false };
    default:
      return undefined;
  }
}

/** Leads the focus to a place: after a change, or when a link to a field was followed. */
export function useFocusAt(target: FocusTarget | undefined): void {
  useEffect(() => {
    if (target === undefined) return;
    const place = closestPlace(target.pointer);
    const control = place && controlIn(place, target.prefersEmpty);
    place?.scrollIntoView({ block: 'nearest' });
    control?.focus();
    // What is there already can be typed over.
    if (control instanceof HTMLInputElement) control.select();
  }, [target]);
}

const controls = 'input, textarea, button, [tabindex="0"]';

function controlIn(place: Element, prefersEmpty: boolean): HTMLElement | undefined {
  const found = [...(place.matches(controls) ? [place] : []), ...place.querySelectorAll(controls)]
    .filter((one) => one instanceof HTMLElement)
    // The hidden twin of a select, and the other choices of a group.
    .filter(({ tabIndex }) => tabIndex >= 0);
  return (prefersEmpty ? found.find(isEmpty) : undefined) ?? found[0];
}

const isEmpty = (control: HTMLElement): boolean =>
  control instanceof HTMLInputElement && control.type === 'text' && control.value === '' && !control.readOnly;

/** The element of a field, or of the closest thing around it that is shown. */
function closestPlace(pointer: Pointer): Element | null {
  const parts = pointer.split('/');
  for (let length = parts.length; length > 0; length -= 1) {
    const found = document.getElementById(`at${parts.slice(0, length).join('/')}`);
    if (found) return found;
  }
  return null;
}
