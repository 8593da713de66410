/** A picture made ready for pages. */
export interface ShownPicture {
  /** The colour that it is remembered by, `#rrggbb`. */
  color: string
  /** WebP images of its square middle, smallest first, each at most `size` pixels wide. */
  squares: { size: number; bytes: Uint8Array }[]
}

/** Reads pictures of strangers, safely: JPEG, PNG and WebP up to a bound of pixels, bytes and time. */
export interface Pictures {
  /**
   * Makes square images of these sizes, ascending. No image is larger than the picture: sizes after the first that holds
   * all of it are left out.
   *
   * @returns null when it is no such picture, or beyond the bounds.
   * @throws when the machine was too busy to tell.
   */
  show(picture: Uint8Array, sizes: readonly number[]): Promise<ShownPicture | null>
}
