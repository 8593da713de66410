import { apiUrl } from '../api.ts'

/** Sizes in which the station has covers, pixels. */
export type CoverSize = 96 | 256 | 512 | 1024

/** The address of a cover. Under one address there is always the same image. */
export const coverUrl = (id: string, size: CoverSize): string => apiUrl(`/api/covers/${id}/${size}.webp`)

/** Addresses for screens of different density, for an image that is shown in one of these sizes. */
export const coverSources = (id: string, ...sizes: CoverSize[]): string =>
  sizes.map((size) => `${coverUrl(id, size)} ${size}w`).join(', ')
