import { randomUUID } from 'node:crypto'
import { CopyObjectCommand } from '@aws-sdk/client-s3'
import { Failure, type MediaKey, serialiseByKey } from '@solstice/station'
import { type Bucket, contentTypeOf, objectName } from './bucket.ts'
import { notWritten, redacted, statusOf } from './failures.ts'
import { head } from './objects.ts'

/** Refusals because of another change to the same name, before a copy is given up. */
const MAX_CONFLICTS = 3

/**
 * Copies files within a bucket, never over another one: false when the name is taken. Stores without conditional writes
 * cannot rule that out across processes; within this one, copies to the same name take turns.
 */
export function createCopier(bucket: Bucket): (from: MediaKey, to: MediaKey) => Promise<boolean> {
  const inTurn = serialiseByKey<MediaKey>()
  let hasConditions = true

  const copy = async (from: MediaKey, to: MediaKey): Promise<boolean> => {
    // Should an answer get lost, this tells a file that was made here from somebody else's.
    const mark = randomUUID()
    for (let attempt = 0; ; attempt++) {
      const [original, taken] = await Promise.all([head(bucket, from), head(bucket, to)])
      if (!original) throw new Failure('NOT_FOUND')
      if (taken) return taken.Metadata?.copy === mark
      try {
        await bucket.client.send(copyCommand(bucket, from, to, mark, hasConditions))
        return true
      } catch (error) {
        const status = statusOf(error)
        if (status === 404) throw new Failure('NOT_FOUND')
        if (status === 501 && hasConditions) hasConditions = false
        else if (![409, 412].includes(status ?? 0) || attempt >= MAX_CONFLICTS)
          throw notWritten(redacted('copying a file', error))
      }
    }
  }
  return (from, to) => inTurn(to, () => copy(from, to))
}

function copyCommand(bucket: Bucket, from: MediaKey, to: MediaKey, mark: string, isConditional: boolean) {
  return new CopyObjectCommand({
    Bucket: bucket.name,
    Key: objectName(bucket, to),
    CopySource: [bucket.name, ...objectName(bucket, from).split('/')].map(encodeURIComponent).join('/'),
    MetadataDirective: 'REPLACE',
    Metadata: { copy: mark },
    ContentType: contentTypeOf(to),
    ...(isConditional && { IfNoneMatch: '*' }),
  })
}
