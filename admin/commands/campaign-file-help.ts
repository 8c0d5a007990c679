/** What may stand in a campaign file. Each line of it that is JSON is parsed by a test. */
export const campaignFileHelp = `
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
  { "type": "SPEND" }          a purchase or an order; of REDEEM and TRANSFER campaigns the only one
  { "type": "REGISTRATION" }   a member linked an account for the first time
  { "type": "REFERRAL" }       a member brought another one: told when that one connects, or by a trigger of that event
  { "type": "CUSTOM", "name": "signup_completed" }
                               an event that is sent under the partnership; \`trigger list <partnership>\` has the names
Its actions are some of these. Rates are whole numbers of a small unit; Bp are ten-thousandths:
  { "kind": "AWARD_POINTS", "pointsPerDollarBp": 5700 }         0.57 points for each dollar that is spent
  { "kind": "AWARD_POINTS", "pointsPerEvent": 250 }             for all that is no purchase
  { "kind": "AWARD_CASHBACK", "shareBp": 500 }                  5 % of what is spent, in money
  { "kind": "AWARD_CASHBACK", "centsPerEvent": 500 }            $5.00 for all that is no purchase
  { "kind": "REDEEM_POINTS", "pointValueMicros": 10000 }        a point pays $0.01 (millionths of a dollar)
  { "kind": "TRANSFER_POINTS", "fromPartnerId": 2, "toPartnerId": 4, "conversionRateBp": 5000, "increment": 1000 }
                                                                thousands of points become half as many of organisation 4's
Its "conditionGroups" all have to hold, such as { "logic": "ANY", "conditions": […] }, or "ALL", with some of these conditions:
  { "attribute": "GEOGRAPHY", "operator": "IS_IN", "values": ["CA", "Austin, TX"] }
  { "attribute": "TOTAL_SPEND", "operator": "GREATER_THAN", "amountCents": 50000 }
  { "attribute": "BASKET_SIZE", "operator": "LESS_THAN", "amountCents": 10000 }
  { "attribute": "TIME_ELAPSED", "operator": "LESS_THAN", "days": 30 }
  { "attribute": "CUSTOM", "operator": "IS_NOT_IN", "name": "plan", "values": ["monthly"] }
Its "multipliers" scale the rate by what is told of the member or the event:
  { "attribute": "CUSTOMER_STATUS", "operator": "IS_IN", "statusTierIds": [2], "factorBp": 15000 }
  { "attribute": "VARIABLE", "operator": "IS_IN", "name": "plan", "values": ["yearly"], "factorBp": 20000 }
Its "limits"; amounts of DOLLARS are in cents:
  { "kind": "TRANSACTION", "bound": "MINIMUM", "unit": "DOLLARS", "amount": 2500 }
  { "kind": "TRANSACTION", "bound": "MAXIMUM", "unit": "POINTS", "amount": 1000 }
  { "kind": "USER", "unit": "EVENTS", "amount": 4, "period": "MONTH" }
                               DAY, WEEK, MONTH, QUARTER, YEAR or LIFETIME, in the time zone of the partnership
The campaign's "goals":
  { "type": "REGISTRATIONS", "target": 5000 }                   or POINTS_EARNED, POINTS_REDEEMED

Without a start it starts with the last approval. Parts belong to the organisation that applies the file; parts of
the other side have to stand in it as they are, with their ids. \`campaign show <campaign> --json\` has the documents.
`;
