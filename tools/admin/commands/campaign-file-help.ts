/** What may stand in a campaign file: an example, and every part that there is. */
export const fileHelp = `
The file is JSON, such as
  {
    "name": "Two points for every dollar",
    "description": "Every purchase earns two points per dollar; gold members earn half as much again.",
    "type": "EARN",
    "startsAt": "2026-12-01T00:00:00-05:00",
    "endsAt": null,
    "flows": [
      {
        "trigger": { "type": "SPEND" },
        "actions": [{ "kind": "AWARD_POINTS", "pointsPerDollarBp": 20000 }],
        "multipliers": [{ "attribute": "CUSTOMER_STATUS", "operator": "IS_IN", "statusTierIds": [2], "factorBp": 15000 }],
        "limits": [{ "kind": "USER", "unit": "POINTS", "amount": 5000, "period": "MONTH" }]
      }
    ],
    "goals": [{ "type": "POINTS_EARNED", "target": 1000000 }]
  }
A flow begins with one of these triggers:
  { "type": "SPEND" }          a claim or an order; of REDEEM and TRANSFER campaigns the only one
  { "type": "REGISTRATION" }   a member linked an account for the first time
  { "type": "REFERRAL" }       a member brought another one: told when that one connects, or by a trigger of that event
  { "type": "CUSTOM", "name": "signup_completed" }
                               an event that is sent under the partnership; \`trigger list <partnership>\` has the names
An action is one of these. At SPEND awards go by the dollar, at all else by the event:
  { "kind": "AWARD_POINTS", "pointsPerDollarBp": 5700 }    0.57 points a dollar, in ten-thousandths of a point
  { "kind": "AWARD_POINTS", "pointsPerEvent": 250 }
  { "kind": "AWARD_CASHBACK", "shareBp": 500 }             5 % of what is spent; the partnership has to allow cashback
  { "kind": "AWARD_CASHBACK", "centsPerEvent": 500 }
  { "kind": "REDEEM_POINTS", "pointValueMicros": 10000 }   of REDEEM: a point is worth a cent, in millionths of a dollar
  { "kind": "TRANSFER_POINTS", "fromPartnerId": 2, "toPartnerId": 4, "conversionRateBp": 5000, "increment": 1000 }
                               of TRANSFER: two points become one, in thousands; one of the two is the partnership's partner
Conditions stand in groups, all of which have to hold; "logic" is "ANY" (unless given) or "ALL" of the conditions in it:
  "conditionGroups": [{ "logic": "ANY", "conditions": [
    { "attribute": "GEOGRAPHY", "operator": "IS_IN", "values": ["CA", "Austin, TX"] }         a country, or a US city
    { "attribute": "TOTAL_SPEND", "operator": "GREATER_THAN", "amountCents": 100000 }         since connecting
    { "attribute": "BASKET_SIZE", "operator": "LESS_THAN", "amountCents": 5000 }              or GREATER_THAN
    { "attribute": "TIME_ELAPSED", "operator": "GREATER_THAN", "days": 30 }                   since connecting; or LESS_THAN
    { "attribute": "CUSTOM", "operator": "IS_NOT_IN", "name": "plan", "values": ["trial"] }   or IS_IN
  ] }]
Multipliers scale the rate, each by ten-thousandths (15000 is one and a half times):
  { "attribute": "CUSTOMER_STATUS", "operator": "IS_IN", "statusTierIds": [2], "factorBp": 15000 }        or IS_NOT_IN
  { "attribute": "VARIABLE", "operator": "IS_IN", "name": "plan", "values": ["yearly"], "factorBp": 20000 }
Limits are of one transaction, or of one member in a DAY, WEEK, MONTH, QUARTER, YEAR or LIFETIME; DOLLARS are in cents:
  { "kind": "TRANSACTION", "bound": "MINIMUM", "unit": "DOLLARS", "amount": 1000 }     or MAXIMUM; or POINTS
  { "kind": "USER", "unit": "EVENTS", "amount": 3, "period": "WEEK" }                  at most; or POINTS
Goals are REGISTRATIONS, POINTS_EARNED (of EARN and TRANSFER) and POINTS_REDEEMED (of REDEEM and TRANSFER).
A flow that has "reevaluateOnRefund": true asks again for a basket's size and minimums when money is given back.
A CONNECT_ONLY campaign has a flow that begins with REGISTRATION and has no actions: "actions": [].

Without a start it starts with the last approval. Parts belong to the organisation that applies the file; parts of
the other side have to stand in it as they are, with their ids. \`campaign show <campaign> --json\` has the documents.
`;
