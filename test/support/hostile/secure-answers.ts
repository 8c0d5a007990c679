import { type Answering, answers } from './answers.ts';

interface SecureAnswer {
  /** A file of test/fixtures/tls. */
  readonly certificate: string;
  readonly act: Answering;
}

/** Endpoints that listen with TLS. The name completes the sentence "an endpoint that …". */
export const secureAnswers = {
  'replies 200 over TLS': { certificate: 'certificate', act: answers['replies 200'] },
  'has a certificate for another name': { certificate: 'other-name', act: answers['replies 200'] },
  'has an expired certificate': { certificate: 'expired', act: answers['replies 200'] },
  'has a certificate of an unknown authority': { certificate: 'unknown-authority', act: answers['replies 200'] },
  'secures the connection and never answers': { certificate: 'certificate', act: () => {} },
  'secures the connection and ends it': { certificate: 'certificate', act: (socket) => socket.destroy() },
  'sends its body byte by byte over TLS': { certificate: 'certificate', act: answers['sends its body byte by byte'] },
  'sends a body of a gigabyte over TLS': { certificate: 'certificate', act: answers['sends a body of a gigabyte'] },
} satisfies Record<string, SecureAnswer>;
