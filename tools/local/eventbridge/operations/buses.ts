import { pageOf } from '../../aws-service/page.ts';
import { busNameOf, type EventBus } from '../bus.ts';
import { type Operation, optionalText, pageSize, requiredText } from './operation.ts';

export const listEventBuses: Operation = (bus, input) => {
  const names = bus.rules.busNames().filter((name) => name.startsWith(optionalText(input, 'NamePrefix') ?? ''));
  const { items, next } = pageOf(names, pageSize(input), optionalText(input, 'NextToken'));
  return { EventBuses: items.map((name) => busView(bus, name)), ...(next && { NextToken: next }) };
};

export const describeEventBus: Operation = (bus, input) => {
  const name = busNameOf(optionalText(input, 'Name'));
  bus.rules.rulesOf(name); // refuses a bus that does not exist
  return busView(bus, name);
};

export const createEventBus: Operation = (bus, input) => {
  const name = requiredText(input, 'Name');
  bus.rules.createBus(name);
  return { EventBusArn: bus.rules.busArn(name) };
};

export const deleteEventBus: Operation = (bus, input) => {
  bus.rules.deleteBus(requiredText(input, 'Name'));
  return {};
};

function busView(bus: EventBus, name: string): object {
  return { Name: name, Arn: bus.rules.busArn(name) };
}
