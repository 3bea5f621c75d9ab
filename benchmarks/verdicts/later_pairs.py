"""The blind sets from the seventh on; the sets before are in ``earlier_pairs``."""

from __future__ import annotations

from benchmarks.verdicts.pair import program

# Written after the sixth, in the same way, by who had read no rule and no result. One label each: a
# pair for each mend that pairs have, and a second for workgroups, drawn by lot (seed 717) as was
# the order; limits, fixed before: the same sums, and a gain of at least 1.15. Where another change
# was thought to compete it was measured, mostly, and gains less.
SEVENTH = (
    *program(
        "pendulums_and_gauges",
        ("text_signatures", "uneven", "texts taken from a counter, not four in a row"),
        ("pendulums", "fuse", "a step of Runge and Kutta in one launch instead of eight"),
        ("river_gauges", "ahead", "eight buffers in turn, so that none is waited for at once"),
        ("fingerprint_bits", "wider", "16 bytes of a fingerprint per load instead of 1"),
    ),
    *program(
        "pixels_and_words",
        ("block_sharpening", "lds-room", "one block in LDS that is written over instead of three"),
        ("next_word", "workgroups", "32 workgroups for the words of a head instead of one"),
        ("option_values", "narrower", "error functions of float instead of double"),
        ("film_cut", "beside", "picture, sound and words on three streams until they meet"),
    ),
    *program(
        "experts_and_pipes",
        ("expert_words", "matrix", "matrix instructions for weights of experts in FP16"),
        ("pattern_patches", "registers", "192 pixels read again after a chain, not kept across it"),
        ("speck_removal", "instructions", "a median by forgetting extremes instead of by sorting"),
        ("pipe_networks", "lanes", "16 networks of 20 pipes per workgroup, not one"),
    ),
    *program(
        "equations_and_raindrops",
        ("small_equations", "spills", "a matrix whose order the compiler knows"),
        ("raindrops", "divergence", "who is near found first, then only those gone through"),
        ("reflected_vectors", "independent", "eight vectors reflected at once"),
        ("page_countries", "atomics", "a wave counts who is alike before it adds"),
    ),
    *program(
        "bars_and_ledgers",
        ("heated_bars", "coalesce", "bars side by side in memory, not one after another"),
        ("ledger_pages", "conflicts", "a place left free in LDS after each 16"),
        ("heat_ring", "traffic", "eight steps on a tile in LDS per pass instead of one"),
        ("share_falls", "in-flight", "eight days read before the first is written"),
    ),
    *program(
        "haze_and_bridges",
        ("haze_removal", "workgroups", "4096 workgroups instead of 60 that go on and on"),
        ("lake_waves", "copies", "two arrays exchanged instead of one copied to the other"),
        ("noisy_messages", "barriers", "order within the wave that has a message, not in all 16"),
        ("town_bridges", "lds-traffic", "eight ways from six values read, not one from two"),
    ),
)
# Written after the seventh, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for atomics; limits, fixed before: the same
# sums, and a gain of at least 1.25. Of 14 pairs a change that might compete was measured; it gains
# less, but for contract_courses, where a workgroup per contract gains a little more (1.66 to 1.61).
EIGHTH = (
    *program(
        "chords_and_coins",
        ("gene_model", "lds-traffic", "ways to a state kept in registers, not read each time"),
        ("training_step", "fuse", "one launch for 72 tensors instead of one for each"),
        ("coin_sums", "divergence", "work-items that multiply stand together, not spread out"),
        ("tone_chords", "wider", "16 bytes of FP16 per load instead of 2"),
    ),
    *program(
        "ships_and_puzzles",
        ("ship_landmarks", "registers", "half of a symmetric matrix kept instead of all of it"),
        ("membrane", "ahead", "lengths of steps stay on the GPU, the host waits for none"),
        ("equation_rests", "coalesce", "entries of neighbouring rows side by side, not row by row"),
        ("digit_puzzles", "lanes", "three puzzles of 81 work-items per workgroup, not one"),
    ),
    *program(
        "grains_and_contracts",
        ("pixel_channels", "matrix", "matrix instructions for channels of pixels in FP16"),
        ("scan_shades", "atomics", "16 copies of the counters that are summed up afterwards"),
        ("sound_grains", "lds-room", "samples in LDS as they came, 2 bytes, not as float"),
        ("contract_courses", "uneven", "contracts dealt to and fro, not eight in a row"),
    ),
    *program(
        "smoke_and_slices",
        ("sound_marks", "spills", "rounds inlined, whose array then needs no address"),
        ("body_slices", "in-flight", "eight slices read before it is known whether light is left"),
        ("smoke_pictures", "copies", "pictures made small before they are brought to the host"),
        ("cube_heat", "conflicts", "cells of a row in LDS in an order of its own"),
    ),
    *program(
        "slopes_and_gases",
        ("map_slopes", "instructions", "roots of integers by that of float, not bit by bit"),
        ("shop_evening", "beside", "four unlike jobs on four streams"),
        ("air_parcels", "barriers", "a workgroup of one wave per parcel, not of 16 parcels"),
        (
            "star_neighbours",
            "workgroups",
            "stars compared with in 32 slices: 512 workgroups, not 16",
        ),
    ),
    *program(
        "genes_and_villages",
        ("gene_sums", "traffic", "columns summed where they are, not in a transposed copy"),
        ("nearest_airports", "narrower", "ways on the globe in float instead of double"),
        ("village_opinions", "independent", "eight things heard across the wave at once"),
        ("protein_begins", "atomics", "finds counted in a register before they are added"),
    ),
)
# Written after the eighth, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for copies, drawn by lot (seed 919) as was the
# order. Limits, fixed before: the same sums, a gain of at least 1.25, and at least 1.1 times what
# any change of another kind gains that was tried; pairs that missed them were written anew. One to
# three such changes were tried for each pair but equalizer_bands, cave_rooms and hummed_songs,
# where none was at hand. They gain 1.7 at most, but 2.2 in light_spots (quick divisions) and 2.0 in
# face_matches (products by two); other ways to the same mend were not held against it.
NINTH = (
    *program(
        "buoys_and_surveys",
        ("buoy_waves", "copies", "the newest heights sent, not all that are looked at"),
        (
            "name_languages",
            "copies",
            "letters sent and made rows of ones on the GPU, not rows sent",
        ),
        ("survey_counts", "atomics", "people of a workgroup counted in LDS first"),
        ("packed_tiles", "conflicts", "rows of tiles in LDS two values longer"),
    ),
    *program(
        "tides_and_leaves",
        ("harbour_tides", "lanes", "21 tides of three harbours per workgroup, not of one"),
        ("car_senses", "beside", "five senses of a car on five streams"),
        ("leaf_outlines", "instructions", "waves made from the one before, not by sines"),
        ("equalizer_bands", "fuse", "24 bands in one launch instead of one each"),
    ),
    *program(
        "caves_and_planets",
        ("light_spots", "divergence", "bright places collected first, then gone through"),
        ("cave_rooms", "lds-room", "a bit for each room in LDS instead of a byte"),
        ("body_shadows", "coalesce", "shadows sensor after sensor in memory, not turn after turn"),
        ("planet_distances", "narrower", "ways around the sun in float instead of double"),
    ),
    *program(
        "songs_and_faces",
        ("hummed_songs", "spills", "one row written over, not two that take turns by pointers"),
        ("meeting_times", "wider", "16 bytes of a calendar per load instead of 1"),
        ("face_matches", "matrix", "matrix instructions for faces of FP16"),
        ("house_exits", "traffic", "steps and walls of a byte each in memory instead of four"),
    ),
    *program(
        "woods_and_wheels",
        ("wood_fires", "lds-traffic", "16 trees of a column from values read once"),
        ("bird_swarms", "barriers", "the lowest bird by waves first, one barrier instead of 12"),
        ("magnet_exchange", "ahead", "temperatures exchanged on the GPU, the host waits for none"),
        ("wheel_cipher", "independent", "eight letters through the wheels at once"),
    ),
    *program(
        "ponds_and_pulsars",
        ("plant_seasons", "registers", "colours kept two to a register until they are needed"),
        ("pond_ice", "uneven", "a pond of a short and one of a long winter per workgroup"),
        ("pulsar_search", "workgroups", "32 workgroups for each delay instead of one"),
        ("lorry_gates", "in-flight", "16 gates read before it is known whether a lorry is at home"),
    ),
)
# Written after the ninth, in the same way, by who had read no rule and no result. One label each:
# a pair for each mend that pairs have, and a second for wider, drawn by lot (seed 1010) as was the
# order. Limits, fixed before: the same sums, a gain of at least 1.2, and at least 1.15 times what
# any change of another kind gains that was tried; pairs that missed them were written anew. Two or
# three such changes were tried for each pair but poems_and_songs, thunder_regions, mill_yields,
# ear_frames, hall_echoes and packed_journals, where one was, and sky_sparks, where none was. They
# gain 1.8, or 3.4 in dish_tastes (four tastes per load), at most.
TENTH = (
    *program(
        "pages_and_crabs",
        ("page_visits", "ahead", "how often to halve found on the GPU, the host waits for none"),
        ("telephone_codes", "lds-traffic", "sums in registers, not added to in LDS for each value"),
        ("poems_and_songs", "workgroups", "words in 32 parts: 512 workgroups instead of 16"),
        ("crab_joints", "lanes", "12 joints of five crabs per workgroup, not of one"),
    ),
    *program(
        "electrodes_and_mills",
        ("electrode_filters", "independent", "means of eight filters across the wave at once"),
        ("sound_directions", "matrix", "matrix instructions for microphones of FP16"),
        ("thunder_regions", "uneven", "regions with thunder begun first, not last"),
        ("mill_yields", "narrower", "powers of float instead of double"),
    ),
    *program(
        "firms_and_switches",
        ("firm_trust", "in-flight", "16 deeds and their worths read before the first is judged"),
        ("grain_stripes", "fuse", "a turn of both grains in one launch instead of five"),
        ("switch_ports", "atomics", "bytes of a workgroup summed in LDS first"),
        ("ear_frames", "beside", "an event recorded before a kernel that nobody waits for"),
    ),
    *program(
        "trees_and_dishes",
        ("tree_groups", "instructions", "squares of distances compared, without roots"),
        ("depth_pictures", "wider", "16 bytes of a picture per load instead of 1"),
        ("sky_sparks", "copies", "the sky made dark on the GPU, not by zeros that are sent"),
        ("dish_tastes", "coalesce", "neighbours have tastes of a dish, which lie together"),
    ),
    *program(
        "halls_and_hearts",
        ("hall_echoes", "conflicts", "echoes of one time side by side in LDS, not of one voice"),
        ("heart_gates", "spills", "no eight waves asked for, for which registers do not suffice"),
        ("bird_songs", "wider", "16 bytes of each song per load instead of 2"),
        (
            "packed_journals",
            "lds-room",
            "16 lines in LDS that are written over, not a whole journal",
        ),
    ),
    *program(
        "clouds_and_readers",
        ("far_points", "barriers", "the farthest point by waves first, one barrier instead of 11"),
        ("reader_likings", "registers", "176 likings read again after a chain, not kept across it"),
        ("formula_fits", "divergence", "64 measurements of one formula in a wave, not 64 formulas"),
        ("radar_rain", "traffic", "a bit for each hour that was seen instead of four bytes"),
    ),
)
# Written after the tenth, in the same way, by who had read no rule and no result. One label each: a
# pair for each mend that pairs have, and a second for spills, drawn by lot (seed 1111) as was the
# order. Limits as for the tenth. Two changes of other kinds were tried for each pair (in
# block_worlds, river_unknowns, valley_storm and hedge_fires both were other workgroups; in some at
# another size of the program). They gain 1.5 at most, but 1.9 in bill_marks (four bills per load)
# and 5.5 in island_ways (values in registers, stores only of what changed).
ELEVENTH = (
    *program(
        "wells_and_ants",
        ("wells_near_houses", "lds-room", "16 branches remembered per house in LDS instead of 64"),
        ("board_ants", "spills", "a bit per square in a register, not an array indexed by data"),
        ("bit_reversal", "coalesce", "numbers turned in LDS, so that stores are in a row"),
        ("letter_offsets", "workgroups", "a running sum by 128 workgroups instead of one"),
    ),
    *program(
        "telescopes_and_decks",
        ("telescope_disks", "narrower", "Bessel functions of float instead of double"),
        ("pond_frames", "copies", "frames brought to the host beside the next step"),
        ("bill_marks", "atomics", "bits of a wave written at once, not set one by one"),
        ("deck_shuffles", "independent", "what eight runs of shuffles do found at once"),
    ),
    *program(
        "mills_and_rivers",
        ("grain_mills", "registers", "92 numbers of a wave in scalar registers, not vector ones"),
        ("block_worlds", "traffic", "cubes that are known to be air are not read"),
        ("river_unknowns", "fuse", "31 ranks of rivers in one launch instead of one each"),
        ("sea_flashes", "divergence", "every detector has half of the others, not all after it"),
    ),
    *program(
        "minerals_and_lifts",
        ("mineral_colours", "matrix", "matrix instructions for colours of FP16"),
        ("song_octaves", "uneven", "octaves one after another, not dealt in turn by eight"),
        ("computer_votes", "wider", "16 bytes of each of three logs per load instead of 1"),
        ("ski_lifts", "barriers", "order within the wave that has a lift, not in all 16"),
    ),
    *program(
        "islands_and_storms",
        ("power_gauges", "in-flight", "readings said not to lie where stores go: read ahead"),
        ("island_ways", "conflicts", "neighbours have columns of a table in LDS, not rows"),
        ("film_motion", "instructions", "four differences of bytes summed by one instruction"),
        ("valley_storm", "beside", "fields cleared on their own streams, not the default one"),
    ),
    *program(
        "hedges_and_xylophones",
        ("hedge_fires", "lds-traffic", "eight places in registers, only edges through LDS"),
        ("shaken_grains", "ahead", "which order is kept found on the GPU, the host waits for none"),
        ("xylophone_bars", "lanes", "40 bars of eight xylophones per workgroup, not of one"),
        ("name_signs", "spills", "a sign put into words at known places, not by its address"),
    ),
)
