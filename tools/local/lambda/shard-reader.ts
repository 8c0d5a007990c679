import { AwsJsonError, type AwsJsonService, callAws } from '../aws-json.ts';

/** A change of an item. The function receives it with the event source added. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventVersion: string;
  readonly awsRegion: string;
  readonly userIdentity?: object;
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly ApproximateCreationDateTime: number;
    readonly NewImage?: Image;
    readonly OldImage?: Image;
  };
}

type Image = Readonly<Record<string, AttributeValue>>;

/** An attribute's value. Only maps and lists contain further values. */
interface AttributeValue {
  readonly M?: Image;
  readonly L?: readonly AttributeValue[];
}

export interface Shard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
}

interface StreamPage {
  readonly StreamDescription: { readonly Shards: readonly Shard[]; readonly LastEvaluatedShardId?: string };
}

/** Returns the shards of a stream, parents before their children. */
export async function listShards(service: AwsJsonService, streamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let last: string | undefined;
  do {
    const input = { StreamArn: streamArn, ...(last && { ExclusiveStartShardId: last }) };
    const { StreamDescription } = await callAws<StreamPage>(service, 'DescribeStream', input);
    shards.push(...StreamDescription.Shards);
    last = StreamDescription.LastEvaluatedShardId;
  } while (last);
  return shards;
}

export interface ShardPosition {
  readonly StreamArn: string;
  readonly ShardId: string;
  readonly ShardIteratorType: string;
}

interface RecordPage {
  readonly Records: readonly StreamRecord[];
  readonly NextShardIterator?: string;
}

/** Reads the records of one shard in their order, beginning at a position. */
export class ShardReader {
  readonly #service: AwsJsonService;
  readonly #position: ShardPosition;
  #iterator: string | undefined;
  #lastSequenceNumber: string | undefined;

  constructor(service: AwsJsonService, position: ShardPosition) {
    this.#service = service;
    this.#position = position;
  }

  /** Returns the next records. `isClosed`: the shard has ended, and all its records were read. */
  async readNext(limit: number): Promise<{ records: readonly StreamRecord[]; isClosed: boolean }> {
    this.#iterator ??= await this.#openIterator();
    if (this.#iterator === undefined) return { records: [], isClosed: true };
    const input = { ShardIterator: this.#iterator, Limit: limit };
    try {
      const page = await callAws<RecordPage>(this.#service, 'GetRecords', input);
      this.#iterator = page.NextShardIterator;
      this.#lastSequenceNumber = page.Records.at(-1)?.dynamodb.SequenceNumber ?? this.#lastSequenceNumber;
      return { records: page.Records.map(toAwsForm), isClosed: page.NextShardIterator === undefined };
    } catch (error) {
      // The records at the position are gone. Like an event source mapping of AWS, the reader continues with the oldest
      // record that is left.
      if (error instanceof AwsJsonError && error.name === 'TrimmedDataAccessException') {
        this.#lastSequenceNumber = undefined;
        this.#iterator = undefined;
        return { records: [], isClosed: false };
      }
      // Iterators expire after 15 minutes, for example while the machine sleeps.
      if (!(error instanceof AwsJsonError && error.name === 'ExpiredIteratorException')) throw error;
      this.#iterator = undefined;
      return { records: [], isClosed: false };
    }
  }

  async #openIterator(): Promise<string | undefined> {
    const afterLast = this.#lastSequenceNumber && {
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber: this.#lastSequenceNumber,
    };
    const input = { ...this.#position, ...afterLast };
    const { ShardIterator } = await callAws<{ ShardIterator?: string }>(this.#service, 'GetShardIterator', input);
    return ShardIterator;
  }
}

/**
 * Gives a record the form that it has on AWS. DynamoDB Local names the deletion of an expired item
 * UNKNOWN_TO_SDK_VERSION and omits `userIdentity`. It also omits the type of an empty map: `{}` in place of
 * `{ "M": {} }`.
 */
function toAwsForm(record: StreamRecord): StreamRecord {
  const { NewImage, OldImage } = record.dynamodb;
  const images = {
    ...(NewImage && { NewImage: withEmptyMaps(NewImage) }),
    ...(OldImage && { OldImage: withEmptyMaps(OldImage) }),
  };
  const changed = { ...record, dynamodb: { ...record.dynamodb, ...images } };
  if (record.eventName !== 'UNKNOWN_TO_SDK_VERSION') return changed;
  return { ...changed, eventName: 'REMOVE', userIdentity: { principalId: 'dynamodb.amazonaws.com', type: 'Service' } };
}

const withEmptyMaps = (image: Image): Image =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, withType(value)]));

function withType(value: AttributeValue): AttributeValue {
  if (value.M) return { M: withEmptyMaps(value.M) };
  if (value.L) return { L: value.L.map(withType) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}
