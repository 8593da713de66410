import type { GroupDefs } from '@solstice/playout'
import { GROUPS_FIELD } from './fields.ts'

/** The fields in which two values of a section differ, by dotted name; groups are summarised. */
export function describeChanges(
  name: string,
  before: unknown,
  after: unknown,
): { field: string; before: unknown; after: unknown }[] {
  if (isSame(before, after)) return []
  if (GROUPS_FIELD.test(name))
    return [{ field: name, before: countGroups(before as GroupDefs), after: countGroups(after as GroupDefs) }]
  if (typeof before !== 'object' || typeof after !== 'object' || !before || !after)
    return [{ field: name, before, after }]
  const inner = after as Record<string, unknown>
  return Object.entries(before).flatMap(([key, value]) =>
    describeChanges(`${name}.${key}`, value, inner[key]),
  )
}

function countGroups(defs: GroupDefs) {
  return { groups: Object.keys(defs).length, artists: Object.values(defs).flat().length }
}

/** True when two values of a setting are equal; the order of groups and artists counts. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
