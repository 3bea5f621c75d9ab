"""The pairs of the corpus, what each mend changes, and which half of them was looked at.

A program is a file and a letter; ``0`` is its slow form, ``1`` its mended one. Names give nothing
away, and what the mend changed is known here only.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "labelled" / "programs"


@dataclass(frozen=True)
class Pair:
    program: str
    letter: str
    mend: str  # as ``explain --json`` names it in advice[].mend
    changed: str  # for people

    @property
    def name(self) -> str:
        return f"{self.program}-{self.letter}"


def _pair(name: str, mend: str, changed: str) -> Pair:
    program, _, letter = name.partition("-")
    return Pair(program, letter, mend, changed)


PAIRS = (
    _pair("one-a", "coalesce", "neighbours read neighbours, not every 32nd element"),
    _pair("one-b", "coalesce", "one array per field instead of one of structures"),
    _pair("one-c", "coalesce", "stores in the order of the work-items, not transposed"),
    _pair("one-d", "wider", "16 bytes per load instead of 1"),
    _pair("one-e", "wider", "copies of 16 bytes instead of 2"),
    _pair("two-a", "conflicts", "rows of LDS padded by one element"),
    _pair("two-b", "conflicts", "private pieces of LDS interleaved"),
    _pair("two-c", "lds-room", "256 bytes of LDS instead of 62 KiB"),
    _pair("two-d", "barriers", "order within the wave instead of barriers of 16 waves"),
    _pair("three-a", "spills", "launch bounds of 256 instead of 1024"),
    _pair("three-b", "registers", "200 values loaded after a chain, not kept across it"),
    _pair("four-a", "workgroups", "1216 workgroups instead of 16"),
    _pair("four-b", "workgroups", "4096 workgroups of 256 instead of 64 of 1024"),
    _pair("four-c", "uneven", "one heavy workgroup shared among 63"),
    _pair("four-d", "uneven", "one long row shared among 512 work-items"),
    _pair("four-e", "uneven", "304 workgroups instead of 320 where 304 run side by side"),
    _pair("five-a", "divergence", "branches by wave, not by lane"),
    _pair("five-b", "divergence", "one of eight items has work: packed together"),
    _pair("five-c", "lanes", "workgroups of 256 instead of 16"),
    _pair("five-d", "atomics", "one atomic per workgroup on one counter"),
    _pair("five-e", "atomics", "histograms in LDS first"),
    _pair("six-a", "narrower", "float instead of double"),
    _pair("six-b", "instructions", "weights from a table, not computed by all"),
    _pair("six-c", "instructions", "shifts instead of divisions"),
    _pair("six-d", "matrix", "matrix instructions instead of vector ones"),
    _pair("six-e", "in-flight", "eight lists followed at once by one work-item"),
    _pair("six-f", "in-flight", "four chains at once in every work-item"),
    _pair("six-g", "independent", "eight accumulators instead of one"),
    _pair("seven-a", "fuse", "one launch of 40 steps instead of 40"),
    _pair("seven-b", "ahead", "no waiting for the GPU after each launch"),
    _pair("seven-c", "copies", "data stays on the GPU between steps"),
    _pair("seven-d", "copies", "parts on four streams: copies beside kernels"),
    _pair("seven-e", "fuse", "one launch instead of 48 that are waited for"),
)
# Written later, by who had not read a rule; gains were measured, and pairs without one rewritten,
# before any explanation of them was read. The first reading of the set is on its page.
BLIND = (
    _pair("eight-a", "traffic", "tiles in LDS instead of reading each operand 256 times"),
    _pair("eight-b", "traffic", "one kernel over an array instead of two with one in between"),
    _pair("eight-c", "coalesce", "items sorted by the place that they read"),
    _pair("eight-d", "wider", "16 bytes per load instead of 2 from each of two arrays"),
    _pair("nine-a", "conflicts", "one row of LDS per field instead of records of 16"),
    _pair("nine-b", "lds-room", "a running sum instead of 32 KiB of values kept"),
    _pair("nine-c", "lds-traffic", "2 x 2 results per work-item from registers"),
    _pair("nine-d", "barriers", "a wave sums a row instead of a workgroup in a tree"),
    _pair("ten-a", "spills", "counters in LDS instead of an array indexed by data"),
    _pair("ten-b", "workgroups", "256 workgroups sum an array instead of one"),
    _pair("ten-c", "uneven", "half of a long row and half of a short one per workgroup"),
    _pair("ten-d", "uneven", "1344 small workgroups instead of 336 where 304 run side by side"),
    _pair("eleven-a", "divergence", "loops of equal length side by side"),
    _pair("eleven-b", "lanes", "workgroups of 256 instead of 80"),
    _pair("eleven-c", "atomics", "maxima in LDS first"),
    _pair("eleven-d", "instructions", "one reciprocal root instead of a root and three divisions"),
    _pair("eleven-e", "narrower", "constants that are float, not double"),
    _pair("eleven-f", "matrix", "matrix instructions for products of FP16"),
    _pair("eleven-g", "independent", "eight sums across the wave at once"),
    _pair("eleven-h", "in-flight", "eight loads before the first comparison"),
    _pair("twelve-a", "ahead", "no memory given back between launches, which waits"),
    _pair("twelve-b", "copies", "one copy instead of 64"),
    _pair("twelve-c", "beside", "eight small kernels on eight streams"),
    _pair("twelve-d", "ahead", "a flag read back after every eighth step"),
    _pair("twelve-e", "fuse", "one launch instead of 30"),
)
# Written later still, in the same way, when what the blind set had shown was mended. One label
# each: none was declared to have two. "host" is missing, because code of the host takes no time on
# the virtual device.
SECOND = (
    _pair("thirteen-a", "coalesce", "neighbours own columns of a plate, not rows"),
    _pair("thirteen-b", "uneven", "rows of an image dealt in turn instead of bands"),
    _pair("thirteen-c", "fuse", "all steps of a transform in one launch instead of eleven"),
    _pair("thirteen-d", "spills", "exchanges at fixed places instead of an insertion sort"),
    _pair("fourteen-a", "conflicts", "rows of small matrices in LDS padded"),
    _pair("fourteen-b", "matrix", "matrix instructions for products of bytes"),
    _pair("fourteen-c", "ahead", "times of steps read at the end, not after each step"),
    _pair("fourteen-d", "in-flight", "eight rows read before the first is written"),
    _pair("fifteen-a", "traffic", "eight channels from the values read instead of one"),
    _pair("fifteen-b", "atomics", "a workgroup asks once for the room of its items in four lists"),
    _pair("fifteen-c", "lanes", "seven elements of 36 work-items per workgroup, not one"),
    _pair("fifteen-d", "beside", "five levels of a pyramid on streams of their own"),
    _pair("sixteen-a", "registers", "a kernel that waits and one that holds 128 values"),
    _pair("sixteen-b", "barriers", "a wave per pair of texts, no barrier after each diagonal"),
    _pair("sixteen-c", "copies", "16 values brought to the host, not the whole field"),
    _pair("sixteen-d", "narrower", "roots of float instead of double"),
    _pair("seventeen-a", "workgroups", "32 workgroups for each of 24 rows instead of one"),
    _pair("seventeen-b", "lds-traffic", "four results from values read once"),
    _pair("seventeen-c", "divergence", "particles sorted by kind"),
    _pair("seventeen-d", "coalesce", "one array per number instead of records of 16"),
    _pair("eighteen-a", "wider", "16 bytes per load instead of 1, from two pictures"),
    _pair("eighteen-b", "lds-room", "counters of one byte instead of four"),
    _pair("eighteen-c", "instructions", "a polynomial by Horner instead of by powers"),
    _pair("eighteen-d", "independent", "four compensated sums in turn instead of one"),
)
# Written last, in the same way and without a look at the results of the sets above. One label each
# again, chosen before any verdict; limits: the same sums, and a gain of at least 1.2.
THIRD = (
    _pair("nineteen-a", "coalesce", "16 work-items share a row of a sparse matrix"),
    _pair("nineteen-b", "uneven", "the longest of 1824 reads begun first, not last"),
    _pair("nineteen-c", "atomics", "a node gathers from its neighbours instead of giving to them"),
    _pair("nineteen-d", "copies", "pixels as bytes to the GPU, not as int"),
    _pair("twenty-a", "divergence", "the next walk begun when the own one has ended"),
    _pair("twenty-b", "in-flight", "the next piece asked for before this one is used"),
    _pair("twenty-c", "workgroups", "a long sum split among 64 times as many workgroups"),
    _pair("twenty-d", "narrower", "logarithms of float instead of double"),
    _pair("twentyone-a", "matrix", "matrix instructions for products of double"),
    _pair("twentyone-b", "fuse", "one launch for 48 heads instead of one for each"),
    _pair("twentyone-c", "conflicts", "a table in LDS once for each bank"),
    _pair("twentyone-d", "beside", "streams that the default stream does not wait for"),
    _pair("twentytwo-a", "spills", "16 words at known places instead of an array of 64"),
    _pair("twentytwo-b", "instructions", "products by Montgomery instead of remainders"),
    _pair("twentytwo-c", "barriers", "a wave per rod, no barriers in each step"),
    _pair("twentytwo-d", "independent", "fingerprints of four texts at once instead of one"),
    _pair("twentythree-a", "ahead", "a length stays on the GPU, the host does not wait for it"),
    _pair("twentythree-b", "registers", "four counts in a register instead of one"),
    _pair("twentythree-c", "lanes", "workgroups of 256 instead of 32"),
    _pair("twentythree-d", "traffic", "a kind of one byte read, not four numbers made from it"),
    _pair("twentyfour-a", "wider", "16 bytes per load instead of 1"),
    _pair("twentyfour-b", "lds-room", "1 KiB of LDS asked for instead of 60"),
    _pair("twentyfour-c", "lds-traffic", "weights by scalar loads, only samples from LDS"),
    _pair("twentyfour-d", "coalesce", "prices of neighbours beside each other"),
)
# Written after the rules had been mended for the third, by who had read no rule, and of results a
# total only. One label each; limits, fixed before: the same sums, and a gain of at least 1.3.
FOURTH = (
    _pair("twentyfive-a", "coalesce", "neighbours along a line of a picture, not down a column"),
    _pair("twentyfive-b", "wider", "16 letters per load instead of 1"),
    _pair("twentyfive-c", "fuse", "near steps of a sorting network in one launch, 21, not 120"),
    _pair("twentyfive-d", "lds-room", "bins of a workgroup instead of bins of each work-item"),
    _pair("twentysix-a", "barriers", "a wave weighs a row, not a workgroup with two trees"),
    _pair("twentysix-b", "spills", "rows exchanged at known places, not at the place of the pivot"),
    _pair("twentysix-c", "registers", "128 numbers made again instead of kept on the way"),
    _pair("twentysix-d", "workgroups", "a box in 16 layers: 1024 workgroups instead of 64"),
    _pair("twentyseven-a", "uneven", "nodes dealt in turn, not 16 in a row"),
    _pair("twentyseven-b", "divergence", "work-items for the cells of one colour only"),
    _pair("twentyseven-c", "lanes", "workgroups of 256 instead of 65"),
    _pair("twentyseven-d", "atomics", "runs of equal cells summed by the wave first"),
    _pair("twentyeight-a", "narrower", "logarithms and cosines of float instead of double"),
    _pair("twentyeight-b", "instructions", "bits spread by five masks instead of one by one"),
    _pair("twentyeight-c", "matrix", "matrix instructions for scores of BF16"),
    _pair("twentyeight-d", "in-flight", "eight steps of a path read ahead"),
    _pair("twentynine-a", "independent", "four products of vectors across the wave at once"),
    _pair("twentynine-b", "traffic", "random numbers drawn where they are used, not read"),
    _pair("twentynine-c", "lds-traffic", "4 x 4 distances from values read once"),
    _pair("twentynine-d", "fuse", "one launch for a layer instead of five"),
    _pair("thirty-a", "ahead", "the other stream waits for an event, not the host"),
    _pair("thirty-b", "beside", "four models on four streams"),
    _pair("thirty-c", "copies", "the window of a frame that is used, not the whole frame"),
    _pair("thirty-d", "conflicts", "vectors in LDS turned by their number"),
)
# Written after the fourth, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for divergence; limits as for the fourth.
FIFTH = (
    _pair("thirtyone-a", "divergence", "photons go on to their next drop, then all are turned"),
    _pair("thirtyone-b", "fuse", "three conditions and a product in one launch instead of seven"),
    _pair("thirtyone-c", "conflicts", "what places like in rows of 33 in LDS instead of 32"),
    _pair("thirtyone-d", "workgroups", "columns in 32 pieces: 512 workgroups instead of 16"),
    _pair("thirtytwo-a", "wider", "16 bytes of each disk per load instead of 1"),
    _pair("thirtytwo-b", "registers", "a rare case that holds 160 numbers in another kernel"),
    _pair("thirtytwo-c", "in-flight", "eight vectors of a list read before the first is added"),
    _pair("thirtytwo-d", "uneven", "equal pieces of what is written, not a run for each wave"),
    _pair("thirtythree-a", "lds-room", "16 moves in a word of LDS instead of one"),
    _pair("thirtythree-b", "ahead", "the change of four steps before looked at, not the last one"),
    _pair("thirtythree-c", "instructions", "bits counted by one instruction, not one by one"),
    _pair("thirtythree-d", "lanes", "27 boxes around each of nine per workgroup, not around one"),
    _pair("thirtyfour-a", "matrix", "matrix instructions for a layer of 3 x 3 pixels of FP16"),
    _pair("thirtyfour-b", "copies", "a table sent once, not with each of eight pieces"),
    _pair("thirtyfour-c", "atomics", "bits looked at before they are set"),
    _pair("thirtyfour-d", "spills", "a tree whose depth the compiler knows"),
    _pair("thirtyfive-a", "traffic", "three sums in one pass over a row instead of three passes"),
    _pair("thirtyfive-b", "barriers", "order within the wave that has a copy, not in all 16"),
    _pair("thirtyfive-c", "coalesce", "neighbours have colours of a pixel, which lie together"),
    _pair("thirtyfive-d", "narrower", "hyperbolic tangents of float instead of double"),
    _pair("thirtysix-a", "beside", "three branches of a network on three streams"),
    _pair("thirtysix-b", "independent", "16 pieces summed across the wave at once"),
    _pair("thirtysix-c", "lds-traffic", "16 products from eight values read, not one from two"),
    _pair("thirtysix-d", "divergence", "one march with chosen numbers instead of one per branch"),
)
# Written after the fifth, in the same way, by who had read no rule and no result. One label each: a
# pair for each mend that pairs have, and a second for coalesce, drawn by lot (seed 616) as was the
# order; limits as for the fourth. Where another change competes it was measured, and gains less.
SIXTH = (
    _pair("thirtyseven-a", "atomics", "sums of flocks in LDS first"),
    _pair("thirtyseven-b", "lds-traffic", "four pixels of a column from values read once"),
    _pair("thirtyseven-c", "coalesce", "neighbours along the rows of a volume, not across layers"),
    _pair("thirtyseven-d", "divergence", "neighbours try one formula, not one case"),
    _pair("thirtyeight-a", "narrower", "arc tangents of float instead of double"),
    _pair("thirtyeight-b", "in-flight", "eight days read before the first is used"),
    _pair("thirtyeight-c", "workgroups", "32 workgroups for each of 24 plans instead of one"),
    _pair("thirtyeight-d", "fuse", "nine levels of a tree per launch: 2 instead of 16"),
    _pair("thirtynine-a", "conflicts", "a hat of each work-item in its own bank of LDS"),
    _pair("thirtynine-b", "wider", "16 bytes of each picture per load instead of 1"),
    _pair("thirtynine-c", "coalesce", "neighbours from west to east, not from south to north"),
    _pair("thirtynine-d", "uneven", "a workgroup per square, not four squares in a row"),
    _pair("forty-a", "ahead", "results of all frames looked at in the end, not one by one"),
    _pair("forty-b", "instructions", "a cyclic check by tables of bytes instead of bit by bit"),
    _pair("forty-c", "lds-room", "two rows of costs in LDS instead of 60"),
    _pair("forty-d", "registers", "160 overtones read after a chain, not kept across it"),
    _pair("fortyone-a", "barriers", "running sums by waves first, 4 barriers instead of 42"),
    _pair("fortyone-b", "copies", "rays made on the GPU instead of sent to it"),
    _pair("fortyone-c", "lanes", "24 hours of eight homes per workgroup, not of one"),
    _pair("fortyone-d", "spills", "a ring of 32 at places that the compiler knows"),
    _pair("fortytwo-a", "traffic", "distances to eight ships from stars read once"),
    _pair("fortytwo-b", "independent", "16 sums across the wave at once"),
    _pair("fortytwo-c", "matrix", "matrix instructions for products of genes in FP16"),
    _pair("fortytwo-d", "beside", "three chains of unlike kernels on three streams"),
)
# Written after the sixth, in the same way, by who had read no rule and no result. One label each: a
# pair for each mend that pairs have, and a second for workgroups, drawn by lot (seed 717) as was
# the order; limits, fixed before: the same sums, and a gain of at least 1.15. Where another change
# was thought to compete it was measured, mostly, and gains less.
SEVENTH = (
    _pair("fortythree-a", "uneven", "texts taken from a counter, not four in a row"),
    _pair("fortythree-b", "fuse", "a step of Runge and Kutta in one launch instead of eight"),
    _pair("fortythree-c", "ahead", "eight buffers in turn, so that none is waited for at once"),
    _pair("fortythree-d", "wider", "16 bytes of a fingerprint per load instead of 1"),
    _pair("fortyfour-a", "lds-room", "one block in LDS that is written over instead of three"),
    _pair("fortyfour-b", "workgroups", "32 workgroups for the words of a head instead of one"),
    _pair("fortyfour-c", "narrower", "error functions of float instead of double"),
    _pair("fortyfour-d", "beside", "picture, sound and words on three streams until they meet"),
    _pair("fortyfive-a", "matrix", "matrix instructions for weights of experts in FP16"),
    _pair("fortyfive-b", "registers", "192 pixels read again after a chain, not kept across it"),
    _pair("fortyfive-c", "instructions", "a median by forgetting extremes instead of by sorting"),
    _pair("fortyfive-d", "lanes", "16 networks of 20 pipes per workgroup, not one"),
    _pair("fortysix-a", "spills", "a matrix whose order the compiler knows"),
    _pair("fortysix-b", "divergence", "who is near found first, then only those gone through"),
    _pair("fortysix-c", "independent", "eight vectors reflected at once"),
    _pair("fortysix-d", "atomics", "a wave counts who is alike before it adds"),
    _pair("fortyseven-a", "coalesce", "bars side by side in memory, not one after another"),
    _pair("fortyseven-b", "conflicts", "a place left free in LDS after each 16"),
    _pair("fortyseven-c", "traffic", "eight steps on a tile in LDS per pass instead of one"),
    _pair("fortyseven-d", "in-flight", "eight days read before the first is written"),
    _pair("fortyeight-a", "workgroups", "4096 workgroups instead of 60 that go on and on"),
    _pair("fortyeight-b", "copies", "two arrays exchanged instead of one copied to the other"),
    _pair("fortyeight-c", "barriers", "order within the wave that has a message, not in all 16"),
    _pair("fortyeight-d", "lds-traffic", "eight ways from six values read, not one from two"),
)
# Written after the seventh, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for atomics; limits, fixed before: the same
# sums, and a gain of at least 1.25. Of 14 pairs a change that might compete was measured; it gains
# less, but for fiftyone-d, where a workgroup per contract gains a little more (1.66 to 1.61).
EIGHTH = (
    _pair("fortynine-a", "lds-traffic", "ways to a state kept in registers, not read each time"),
    _pair("fortynine-b", "fuse", "one launch for 72 tensors instead of one for each"),
    _pair("fortynine-c", "divergence", "work-items that multiply stand together, not spread out"),
    _pair("fortynine-d", "wider", "16 bytes of FP16 per load instead of 2"),
    _pair("fifty-a", "registers", "half of a symmetric matrix kept instead of all of it"),
    _pair("fifty-b", "ahead", "lengths of steps stay on the GPU, the host waits for none"),
    _pair("fifty-c", "coalesce", "entries of neighbouring rows side by side, not row by row"),
    _pair("fifty-d", "lanes", "three puzzles of 81 work-items per workgroup, not one"),
    _pair("fiftyone-a", "matrix", "matrix instructions for channels of pixels in FP16"),
    _pair("fiftyone-b", "atomics", "16 copies of the counters that are summed up afterwards"),
    _pair("fiftyone-c", "lds-room", "samples in LDS as they came, 2 bytes, not as float"),
    _pair("fiftyone-d", "uneven", "contracts dealt to and fro, not eight in a row"),
    _pair("fiftytwo-a", "spills", "rounds inlined, whose array then needs no address"),
    _pair("fiftytwo-b", "in-flight", "eight slices read before it is known whether light is left"),
    _pair("fiftytwo-c", "copies", "pictures made small before they are brought to the host"),
    _pair("fiftytwo-d", "conflicts", "cells of a row in LDS in an order of its own"),
    _pair("fiftythree-a", "instructions", "roots of integers by that of float, not bit by bit"),
    _pair("fiftythree-b", "beside", "four unlike jobs on four streams"),
    _pair("fiftythree-c", "barriers", "a workgroup of one wave per parcel, not of 16 parcels"),
    _pair("fiftythree-d", "workgroups", "stars compared with in 32 slices: 512 workgroups, not 16"),
    _pair("fiftyfour-a", "traffic", "columns summed where they are, not in a transposed copy"),
    _pair("fiftyfour-b", "narrower", "ways on the globe in float instead of double"),
    _pair("fiftyfour-c", "independent", "eight things heard across the wave at once"),
    _pair("fiftyfour-d", "atomics", "finds counted in a register before they are added"),
)
# Written after the eighth, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for copies, drawn by lot (seed 919) as was the
# order. Limits, fixed before: the same sums, a gain of at least 1.25, and at least 1.1 times what
# any change of another kind gains that was tried; pairs that missed them were written anew. One to
# three such changes were tried for each pair but fiftysix-d, fiftyseven-b and fiftyeight-a, where
# none was at hand. They gain 1.7 at most, but 2.2 in fiftyseven-a (quick divisions) and 2.0 in
# fiftyeight-c (products by two); other ways to the same mend were not held against it.
NINTH = (
    _pair("fiftyfive-a", "copies", "the newest heights sent, not all that are looked at"),
    _pair("fiftyfive-b", "copies", "letters sent and made rows of ones on the GPU, not rows sent"),
    _pair("fiftyfive-c", "atomics", "people of a workgroup counted in LDS first"),
    _pair("fiftyfive-d", "conflicts", "rows of tiles in LDS two values longer"),
    _pair("fiftysix-a", "lanes", "21 tides of three harbours per workgroup, not of one"),
    _pair("fiftysix-b", "beside", "five senses of a car on five streams"),
    _pair("fiftysix-c", "instructions", "waves made from the one before, not by sines"),
    _pair("fiftysix-d", "fuse", "24 bands in one launch instead of one each"),
    _pair("fiftyseven-a", "divergence", "bright places collected first, then gone through"),
    _pair("fiftyseven-b", "lds-room", "a bit for each room in LDS instead of a byte"),
    _pair("fiftyseven-c", "coalesce", "shadows sensor after sensor in memory, not turn after turn"),
    _pair("fiftyseven-d", "narrower", "ways around the sun in float instead of double"),
    _pair("fiftyeight-a", "spills", "one row written over, not two that take turns by pointers"),
    _pair("fiftyeight-b", "wider", "16 bytes of a calendar per load instead of 1"),
    _pair("fiftyeight-c", "matrix", "matrix instructions for faces of FP16"),
    _pair("fiftyeight-d", "traffic", "steps and walls of a byte each in memory instead of four"),
    _pair("fiftynine-a", "lds-traffic", "16 trees of a column from values read once"),
    _pair("fiftynine-b", "barriers", "the lowest bird by waves first, one barrier instead of 12"),
    _pair("fiftynine-c", "ahead", "temperatures exchanged on the GPU, the host waits for none"),
    _pair("fiftynine-d", "independent", "eight letters through the wheels at once"),
    _pair("sixty-a", "registers", "colours kept two to a register until they are needed"),
    _pair("sixty-b", "uneven", "a pond of a short and one of a long winter per workgroup"),
    _pair("sixty-c", "workgroups", "32 workgroups for each delay instead of one"),
    _pair("sixty-d", "in-flight", "16 gates read before it is known whether a lorry is at home"),
)
# Written after the ninth, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for wider, drawn by lot (seed 1010) as was the
# order. Limits, fixed before: the same sums, a gain of at least 1.2, and at least 1.15 times what
# any change of another kind gains that was tried; pairs that missed them were written anew. Two or
# three such changes were tried for each pair but sixtyone-c, sixtytwo-c, sixtytwo-d, sixtythree-d,
# sixtyfive-a and sixtyfive-d, where one was, and sixtyfour-c, where none was. They gain 1.8,
# or 3.4 in sixtyfour-d (four tastes per load), at most.
TENTH = (
    _pair("sixtyone-a", "ahead", "how often to halve found on the GPU, the host waits for none"),
    _pair("sixtyone-b", "lds-traffic", "sums in registers, not added to in LDS for each value"),
    _pair("sixtyone-c", "workgroups", "words in 32 parts: 512 workgroups instead of 16"),
    _pair("sixtyone-d", "lanes", "12 joints of five crabs per workgroup, not of one"),
    _pair("sixtytwo-a", "independent", "means of eight filters across the wave at once"),
    _pair("sixtytwo-b", "matrix", "matrix instructions for microphones of FP16"),
    _pair("sixtytwo-c", "uneven", "regions with thunder begun first, not last"),
    _pair("sixtytwo-d", "narrower", "powers of float instead of double"),
    _pair("sixtythree-a", "in-flight", "16 deeds and their worths read before the first is judged"),
    _pair("sixtythree-b", "fuse", "a turn of both grains in one launch instead of five"),
    _pair("sixtythree-c", "atomics", "bytes of a workgroup summed in LDS first"),
    _pair("sixtythree-d", "beside", "an event recorded before a kernel that nobody waits for"),
    _pair("sixtyfour-a", "instructions", "squares of distances compared, without roots"),
    _pair("sixtyfour-b", "wider", "16 bytes of a picture per load instead of 1"),
    _pair("sixtyfour-c", "copies", "the sky made dark on the GPU, not by zeros that are sent"),
    _pair("sixtyfour-d", "coalesce", "neighbours have tastes of a dish, which lie together"),
    _pair("sixtyfive-a", "conflicts", "echoes of one time side by side in LDS, not of one voice"),
    _pair("sixtyfive-b", "spills", "no eight waves asked for, for which registers do not suffice"),
    _pair("sixtyfive-c", "wider", "16 bytes of each song per load instead of 2"),
    _pair("sixtyfive-d", "lds-room", "16 lines in LDS that are written over, not a whole journal"),
    _pair("sixtysix-a", "barriers", "the farthest point by waves first, one barrier instead of 11"),
    _pair("sixtysix-b", "registers", "176 likings read again after a chain, not kept across it"),
    _pair("sixtysix-c", "divergence", "64 measurements of one formula in a wave, not 64 formulas"),
    _pair("sixtysix-d", "traffic", "a bit for each hour that was seen instead of four bytes"),
)
# The latest last.
BLIND_SETS = {
    "blind": BLIND,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
    "seventh": SEVENTH,
    "eighth": EIGHTH,
    "ninth": NINTH,
    "tenth": TENTH,
}
ALL = (*PAIRS, *(pair for pairs in BLIND_SETS.values() for pair in pairs))
BY_NAME = {pair.name: pair for pair in ALL}
_FIRST = {pair.name for pair in PAIRS}

# Drawn before any explanation of these programs was read: bounds and thresholds were looked at on
# this half only.
# "three-c" was drawn with them; the pair that it named then had a mend that gained nothing and was
# taken out, and the lot stays as it fell.
_DRAWN = sorted([*_FIRST, "three-c"])
SEEN = frozenset(random.Random(16).sample(_DRAWN, len(_DRAWN) // 2)) & _FIRST
# What CI runs, drawn as well; the whole corpus takes minutes.
IN_CI = tuple(sorted(random.Random(61).sample(sorted(_FIRST), 6)))
