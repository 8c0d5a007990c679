/** The log message about an organisation in whose connect sessions a caller guesses the proofs of many accounts. */
export const guessingMessage = 'connect.guessing';

/** The alarm of the endpoints that check proofs. */
export const guessingAlarm = {
  [guessingMessage]: {
    impact:
      'Somebody guesses the PINs of many accounts in the connect sessions of one merchant. Members who mistype twice have to wait before they try again.',
    section: 'somebody-guesses-pins',
  },
};
