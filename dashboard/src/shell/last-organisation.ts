const key = 'rewards.organisation';

/** The organisation that the person looked at last in this browser; 0 in a browser that keeps nothing. */
export const lastOrganisation = {
  get: (): number => {
    try {
      return Number(localStorage.getItem(key));
    } catch {
      return 0;
    }
  },
  set: (id: number): void => {
    try {
      localStorage.setItem(key, String(id));
    } catch {
      // The person then begins with the first organisation.
    }
  },
};
