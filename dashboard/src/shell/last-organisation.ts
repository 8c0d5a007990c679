const key = 'rewards.organisation';

/** The organisation that the person looked at last in this browser. */
export const lastOrganisation = {
  get: (): number => Number(localStorage.getItem(key)),
  set: (id: number): void => localStorage.setItem(key, String(id)),
};
