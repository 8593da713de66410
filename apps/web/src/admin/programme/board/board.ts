/** Artists by group, in the order in which groups are asked; the last one takes all other artists. */
export type GroupDefs = Record<string, string[]>

export const MAX_GROUP_NAME_LENGTH = 50

/** The group that names an artist; null when none does. */
export function groupNaming(defs: GroupDefs, artist: string): string | null {
  const key = artist.toLowerCase()
  const found = Object.entries(defs).find(([, artists]) =>
    artists.some((other) => other.toLowerCase() === key),
  )
  return found?.[0] ?? null
}

/** Puts an artist at the end of a group and takes it out of all others; null = into none. */
export function moveArtist(defs: GroupDefs, artist: string, to: string | null): GroupDefs {
  const key = artist.toLowerCase()
  return mapGroups(defs, (name, artists) => {
    const others = artists.filter((other) => other.toLowerCase() !== key)
    return [name, name === to ? [...others, artist] : others]
  })
}

/** Null when the name is empty, taken, or a number: objects put such keys first, and the order of groups counts. */
export function renameGroup(defs: GroupDefs, from: string, to: string): GroupDefs | null {
  const name = to.trim().replace(/\s+/g, ' ')
  const isTaken = Object.keys(defs).some((other) => other !== from && isSameName(other, name))
  if (!name || isTaken || /^\d+$/.test(name)) return null
  return mapGroups(defs, (old, artists) => [old === from ? name : old, artists])
}

/** Its artists go to no group. */
export const removeGroup = (defs: GroupDefs, name: string): GroupDefs =>
  Object.fromEntries(Object.entries(defs).filter(([other]) => other !== name))

/** Adds an empty group at the end, with the first free number in its name. */
export function addGroup(defs: GroupDefs, nameOf: (number: number) => string): [GroupDefs, string] {
  let number = Object.keys(defs).length + 1
  while (Object.keys(defs).some((other) => isSameName(other, nameOf(number)))) number++
  const name = nameOf(number)
  return [{ ...defs, [name]: [] }, name]
}

/** Moves a group by one place; at the end of the row nothing changes. */
export function shiftGroup(defs: GroupDefs, name: string, by: -1 | 1): GroupDefs {
  const groups = Object.entries(defs)
  const at = groups.findIndex(([other]) => other === name)
  const other = groups[at + by]
  if (!other) return defs
  groups[at + by] = groups[at]!
  groups[at] = other
  return Object.fromEntries(groups)
}

function mapGroups(
  defs: GroupDefs,
  change: (name: string, artists: string[]) => [string, string[]],
): GroupDefs {
  return Object.fromEntries(Object.entries(defs).map(([name, artists]) => change(name, artists)))
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
