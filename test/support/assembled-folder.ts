/** The folder in which `npm test` built all functions and their cloud assembly, once for all tests. */
export const { ASSEMBLED: assembledFolder } = process.env;
